import { ApiUser } from "../harness/api-user.ts";
import { expect, test } from "../harness/test.ts";
import { signIn } from "../harness/user.ts";

test("a view of users is there in another browser, and for another member once it is shared", async ({
  page,
  browser,
  service,
}) => {
  const member = await ApiUser.signUp(service.server.url);
  await service.server.command(
    "user",
    "role",
    member.credentials.email,
    "admin",
  );
  const colleague = await ApiUser.signUp(service.server.url);
  await service.server.command(
    "user",
    "role",
    colleague.credentials.email,
    "support",
  );
  const openAs = async (credentials: typeof member.credentials) => {
    const context = await browser.newContext({
      baseURL: service.server.url,
      locale: "en-US",
    });
    const opened = await context.newPage();
    await signIn(opened, credentials);
    return opened;
  };

  await signIn(page, member.credentials);
  await page.goto("/admin/users?state=active&sort=-ends");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "Area" }).check();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Save view" }).click();
  const dialog = page.getByRole("dialog", { name: "Save view" });
  await dialog.getByLabel("Name").fill("Ending soon");
  await dialog.getByRole("button", { name: "Save view" }).click();
  await expect(page.getByRole("link", { name: "Ending soon" })).toHaveAttribute(
    "aria-current",
    "page",
  );

  const elsewhere = await openAs(member.credentials);
  await elsewhere.goto("/admin/users");
  await elsewhere.getByRole("link", { name: "Ending soon" }).click();
  await expect(elsewhere).toHaveURL(
    /\/admin\/users\?sort=-ends&state=active&view=\d+$/,
  );
  await expect(
    elsewhere.getByRole("columnheader", { name: "Area" }),
  ).toBeVisible();
  await elsewhere.reload();
  await expect(
    elsewhere.getByRole("button", { name: "Remove the filter State" }),
  ).toBeVisible();

  const other = await openAs(colleague.credentials);
  await other.goto("/admin/users");
  await expect(other.getByRole("table", { name: "Users" })).toBeVisible();
  await expect(other.getByRole("link", { name: "Ending soon" })).toHaveCount(0);

  await page.getByRole("button", { name: "Actions for Ending soon" }).click();
  await page.getByRole("menuitem", { name: "Share" }).click();
  await page
    .getByRole("dialog", { name: "Share" })
    .getByRole("button", { name: "Share" })
    .click();
  await expect(page.getByLabel("shared")).toBeVisible();

  await other.reload();
  await other.getByRole("link", { name: "Ending soon" }).click();
  await expect(other).toHaveURL(/view=\d+/);
  await expect(other.getByRole("columnheader", { name: "Area" })).toBeVisible();
  await other.getByRole("button", { name: "Remove the filter State" }).click();
  await expect(other.getByText("Changed")).toBeVisible();
  await expect(other.getByRole("button", { name: "Save view" })).toHaveCount(0);
  await other.getByRole("link", { name: "Reset" }).click();
  await expect(other.getByText("Changed")).toHaveCount(0);
});

test("a column that is dragged is as wide after a reload, and a double click takes that back", async ({
  page,
  service,
}) => {
  const member = await ApiUser.signUp(service.server.url);
  await service.server.command(
    "user",
    "role",
    member.credentials.email,
    "admin",
  );
  await signIn(page, member.credentials);
  await page.goto("/admin/users");
  const head = page.getByRole("columnheader", { name: "State" });
  const edge = page.getByRole("separator", {
    name: "Width of the column State",
  });
  const width = async () => Math.round((await head.boundingBox())?.width ?? 0);
  const kept = () =>
    page.waitForResponse((answer) => answer.url().endsWith("/views/layout"));

  const handle = await edge.boundingBox();
  if (!handle) throw new Error("The edge of the column is not there");
  const usual = await width();
  const [x, y] = [handle.x + handle.width / 2, handle.y + handle.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y, { steps: 4 });
  expect(await width()).toBe(usual + 60);
  let answered = kept();
  await page.mouse.up();
  await answered;
  await page.reload();
  await expect(edge).toHaveAttribute("aria-valuenow", String(usual + 60));
  expect(await width()).toBe(usual + 60);

  answered = kept();
  await edge.dblclick();
  await answered;
  await expect.poll(width).toBe(usual);
});
