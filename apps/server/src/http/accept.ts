/** Whether `Accept` (RFC 9110, 12.5.1) lists `text/plain` and no page: a terminal or a program asks, not a browser. */
export function prefersText(accept: string | undefined): boolean {
	if (accept === undefined || !/text\/plain/i.test(accept)) return false;
	const types = accept
		.toLowerCase()
		.split(",")
		.filter((range) => !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range))
		.map((range) => range.split(";", 1)[0]?.trim());
	return types.includes("text/plain") && !types.includes("text/html") && !types.includes("application/xhtml+xml");
}
