// Runs the statements that come as lines of JSON on chDB and answers each with a line.
const { Session } = require("chdb");

const session = new Session();
session.query("CREATE DATABASE test");
session.query("USE test");
require("readline")
	.createInterface({ input: process.stdin })
	.on("line", (line) => {
		let answer;
		try {
			const text = session.query(JSON.parse(line), "JSONCompactStringsEachRow");
			const rows = text.split("\n").filter((row) => row !== "");
			answer = { rows: rows.map((row) => JSON.parse(row)) };
		} catch (error) {
			answer = { error: String(error) };
		}
		process.stdout.write(JSON.stringify(answer) + "\n");
	})
	.on("close", () => session.close());
