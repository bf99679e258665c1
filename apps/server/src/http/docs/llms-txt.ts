/** What a server has besides its pages. */
export interface LlmsFacts {
	/** Address of the server, without a slash at the end. */
	readonly root: string;
	readonly hasAuth: boolean;
	/** Whether programs can log in, as `/auth.md` describes. */
	readonly hasPrograms: boolean;
	readonly hasMcp: boolean;
}

/** Sections of the index that a reader with little room may skip. */
const OPTIONAL = "Know how it works";

/**
 * `/llms.txt` (https://llmstxt.org): what the server is, and where what can be read.
 * @param index Markdown of `docs/README.md`: a table of pages under each heading
 */
export function llmsTxt(index: string, facts: LlmsFacts): string {
	const { root, hasAuth } = facts;
	const lines = [
		"# Spanward",
		"",
		"> Spanward collects the traces of LLM and agent applications over OpenTelemetry (OTLP), keeps them, and lets people and programs look at them. This is a server of it, with the documentation of its version.",
		"",
		`- The address of this server is ${root}.`,
		hasAuth
			? "- Data needs credentials: send `Authorization: Bearer <key>`. Documentation needs none."
			: "- Authentication is off: no credentials are needed.",
		"- The address of a trace in the web app answers the trace as text within 4,000 tokens, if the request has `Accept: text/plain`.",
		"- With `Accept: application/problem+json` errors are problem documents (RFC 9457); `type` is the address of a page that says what to do, also as Markdown with `.md` at its end.",
		"",
		"## Interfaces",
		"",
		`- [REST API](${root}/openapi.json): OpenAPI 3.1, every operation${hasAuth ? "; needs credentials" : ""}`,
		...(facts.hasMcp
			? [`- [MCP](${root}/mcp): Model Context Protocol over streamable HTTP; [how](${root}/docs/mcp.md)`]
			: []),
		...(facts.hasPrograms ? [`- [Log-in for programs](${root}/auth.md): how a program gets a token`] : []),
		`- [Errors](${root}/docs/problems.md): every code, and what to do`,
	];
	for (const { title, pages } of sectionsOf(index)) {
		lines.push("", `## ${title === OPTIONAL ? "Optional" : title}`, "");
		for (const { name, path, text } of pages) lines.push(`- [${name}](${root}/docs/${path}): ${text}`);
	}
	return `${lines.join("\n")}\n`;
}

interface Section {
	readonly title: string;
	readonly pages: readonly { readonly name: string; readonly path: string; readonly text: string }[];
}

function sectionsOf(index: string): Section[] {
	return index
		.split(/^## /m)
		.slice(1)
		.map((section) => ({
			title: section.slice(0, section.indexOf("\n")),
			// What is not in the folder of pages is not served.
			pages: Array.from(
				section.matchAll(/^\| \[(?<name>[^\]]+)\]\((?<path>[^.)][^)]*\.md)\) \| (?<text>.*) \|$/gm),
				({ groups: { name = "", path = "", text = "" } = {} }) => ({ name, path, text: withoutLinks(text) }),
			),
		}))
		.filter(({ pages }) => pages.length > 0);
}

function withoutLinks(text: string): string {
	return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}
