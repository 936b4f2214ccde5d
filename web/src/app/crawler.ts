const CRAWLER =
  /bot|crawl|spider|slurp|mediapartners|facebookexternalhit|google-inspectiontool|bingpreview/i

/** Programs that read pages for search engines: what fails for them is logged, and no error page gets into an index. */
export const isCrawler = () => CRAWLER.test(navigator.userAgent)
