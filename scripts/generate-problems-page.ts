/** docs/problems.md: every code of an error, and what to do. */
export function problemsPage(sections: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
	return [
		"# Error codes",
		"",
		"A request with `Accept: application/problem+json` gets an error as a problem document",
		"([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)): `code` is one of the codes below, and stays the same; `detail` is a",
		"sentence about this request; `type` is the address of a page on the server that was asked, which says what the table says.",
		"With `.md` at its end the same is Markdown. [Limits and errors](limits-and-errors.md) has the statuses.",
		"",
		"This page is generated from `apps/server/src/base/problems.ts` by `npm run generate`.",
		"",
		...Object.entries(sections).flatMap(([title, problems]) => [
			`## ${title}`,
			"",
			"| Code | What it means, and what to do |",
			"|---|---|",
			...Object.entries(problems)
				.toSorted(([a], [b]) => (a < b ? -1 : 1))
				.map(([code, text]) => `| \`${code}\` | ${text.replaceAll("|", "\\|")} |`),
			"",
		]),
	].join("\n");
}
