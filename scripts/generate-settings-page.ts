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
		"Every setting is an environment variable. Values are trimmed, and an empty value counts as unset. Switches are `true`",
		"or `false`, ignoring case; nothing else is accepted.",
		"",
		"With an invalid value the server does not start (exit code 78). All invalid settings are reported at once, secrets",
		"without their values. A variable that begins with `SERVICE_` but is not a setting gets a warning.",
		"",
		"A secret can be read from a file instead: `<NAME>_FILE` is the path of the file, as container platforms mount secrets.",
		"If both are set, the server does not start.",
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
		"## Recognized, not in effect yet",
		"",
		"These are checked, and cause a warning if they are set: this version ignores them.",
		"",
		...tableOf(planned),
		"",
		"## Known from elsewhere, without effect",
		"",
		"| Variable | Instead |",
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
