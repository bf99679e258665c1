interface Row {
	readonly default: unknown;
	readonly defaultText?: string;
	readonly text: string;
	readonly secret?: boolean;
}

/** docs/settings.md: the table of settings as a person reads it. */
export function settingsPage(settings: Readonly<Record<string, Row>>): string {
	const rows = Object.entries(settings).map(([name, row]) => {
		const fallback = row.defaultText ?? (row.default === "" || row.default === null ? "" : String(row.default));
		const secret = row.secret === true ? ` Secret: may come from a file named by \`${name}_FILE\`.` : "";
		return `| \`${name}\` | ${fallback === "" ? "–" : `\`${fallback}\``} | ${escapePipes(row.text)}${secret} |`;
	});
	return [
		"# Settings",
		"",
		"Every setting is an environment variable; an empty one counts as unset. A wrong value stops the start, and all wrong ones are named at once.",
		"",
		"This page is generated from `apps/server/src/config.ts` by `npm run generate`.",
		"",
		"| Variable | Default | Meaning |",
		"|---|---|---|",
		...rows,
		"",
	].join("\n");
}

function escapePipes(text: string): string {
	return text.replaceAll("|", "\\|");
}
