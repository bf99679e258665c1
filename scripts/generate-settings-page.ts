interface Row {
	/** Its description is what the value may be. */
	readonly schema: { readonly description?: string | undefined };
	readonly default: unknown;
	readonly defaultText?: string;
	readonly text: string;
	readonly secret?: boolean;
}

type Table = Readonly<Record<string, Row>>;

interface Section {
	readonly title: string;
	readonly text?: string;
	readonly settings: Table;
}

/**
 * docs/settings.md: the tables of settings as a person reads them.
 * @param elsewhere variables that other products have, and what holds here instead
 */
export function settingsPage(
	sections: readonly Section[],
	planned: Table,
	elsewhere: Readonly<Record<string, string>>,
): string {
	return [
		"# Settings",
		"",
		"Every setting is an environment variable. Values are trimmed, and an empty one counts as unset. Switches are `true` or `false`, in any case; nothing else is understood.",
		"",
		"A wrong value stops the start with exit code 78, before anything listens. All wrong ones are named at once, secrets without their values. A variable that begins with `SERVICE_` and is none of these is named in a warning.",
		"",
		"A secret may come from a file instead: `<NAME>_FILE` holds its path, as container platforms mount secrets. Setting both stops the start.",
		"",
		"This page is generated from `apps/server/src/base/settings` by `npm run generate`.",
		"",
		...sections.flatMap(({ title, text, settings }) => [
			`## ${title}`,
			"",
			...(text === undefined ? [] : [text, ""]),
			...tableOf(settings),
			"",
		]),
		"## Understood, not in effect yet",
		"",
		"These are checked, and named in a warning when they are set: this version does not act on them.",
		"",
		...tableOf(planned),
		"",
		"## Known from elsewhere, without effect",
		"",
		"| Variable | What holds here |",
		"|---|---|",
		...Object.entries(elsewhere).map(([name, text]) => `| \`${name}\` | ${escapePipes(capitalize(text))}. |`),
		"",
	].join("\n");
}

function tableOf(settings: Table): string[] {
	const rows = Object.entries(settings).map(([name, row]) => {
		const secret = row.secret === true ? ` Secret, or \`${name}_FILE\`.` : "";
		const cells = [`\`${name}\``, defaultOf(row), escapePipes(valuesOf(row)), `${escapePipes(row.text)}${secret}`];
		return `| ${cells.join(" | ")} |`;
	});
	return ["| Variable | Default | Values | Meaning |", "|---|---|---|---|", ...rows];
}

function valuesOf({ schema }: Row): string {
	return schema.description ?? "text";
}

function defaultOf({ default: value, defaultText }: Row): string {
	if (defaultText !== undefined) return defaultText;
	const isNothing = value === "" || value === null || (Array.isArray(value) && value.length === 0);
	return isNothing ? "–" : `\`${String(value)}\``;
}

function capitalize(text: string): string {
	return text.replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

function escapePipes(text: string): string {
	return text.replaceAll("|", "\\|");
}
