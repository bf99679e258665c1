import { UNSEEN } from "../lib/foreign-name.ts";
import type { SnippetServer } from "../lib/snippet-server.ts";
import type { Asked } from "./asked.ts";
import type { CopiedForm } from "./copied.ts";

type Request = Pick<Asked, "path" | "query" | "command">;

/** Code that asks a server. It has no key: that is in the variable `SERVICE_API_KEY`. */
export function codeOf(form: Exclude<CopiedForm, "agent">, asked: Request, server: SnippetServer): string {
	switch (form) {
		case "curl":
			return curl(asked, server);
		case "command":
			return command(asked, server);
		case "python":
			return python(asked, server);
		case "typescript":
			return typescript(asked, server);
	}
}

function curl(asked: Request, { origin, needsKey }: SnippetServer): string {
	const key = needsKey ? ` \\\n  -H "Authorization: Bearer $SERVICE_API_KEY"` : "";
	return `curl -fsS ${shellQuoted(origin + addressOf(asked))}${key}`;
}

function command(asked: Request, { origin }: SnippetServer): string {
	// What is pasted may steer a terminal by what is not seen of it: in an address that is escaped.
	const words = asked.command?.some((word) => UNSEEN.test(word)) === false ? asked.command : undefined;
	const [first = "", second = "", ...rest] = words ?? ["api", "GET", addressOf(asked)];
	return `npx spanward ${[first, second, `--url=${origin}`, ...rest].map(shellQuoted).join(" ")}`;
}

function python({ path, query }: Request, { origin, needsKey }: SnippetServer): string {
	const params = query.map(([name, value]) => `        (${pythonText(name)}, ${pythonText(value)}),\n`).join("");
	return `${needsKey ? "import os\n\n" : ""}import httpx  # pip install httpx

response = httpx.get(
    ${pythonText(origin + path)},${params === "" ? "" : `\n    params=[\n${params}    ],`}${
			needsKey ? `\n    headers={"Authorization": f"Bearer {os.environ['SERVICE_API_KEY']}"},` : ""
		}
    timeout=60,
)
response.raise_for_status()
print(response.json()["data"])`;
}

function typescript({ path, query }: Request, { origin, needsKey }: SnippetServer): string {
	const address = scriptText(origin + path);
	const params = query.map(([name, value]) => `  [${scriptText(name)}, ${scriptText(value)}],\n`).join("");
	const url =
		params === ""
			? `const url = ${address};`
			: `const query = new URLSearchParams([\n${params}]);\nconst url = ${address} + "?" + query;`;
	const headers = needsKey ? `, {\n  headers: { Authorization: \`Bearer \${process.env.SERVICE_API_KEY}\` },\n}` : "";
	return `${url}
const response = await fetch(url${headers});
if (!response.ok) throw new Error(await response.text());
console.log((await response.json()).data);`;
}

/** Path and query. */
function addressOf({ path, query }: Request): string {
	const params = query.map((pair) => pair.map(encodeURIComponent).join("="));
	return params.length === 0 ? path : `${path}?${params.join("&")}`;
}

/** One word for POSIX shells. The name of an option stays readable. */
function shellQuoted(word: string): string {
	const [, option = "", value = ""] = /^(--[a-z-]+=)?(.*)$/s.exec(word) ?? [];
	if (/^[\w@%+:,./-]+$/.test(value)) return option + value;
	return `${option}'${value.replaceAll("'", String.raw`'\''`)}'`;
}

function pythonText(text: string): string {
	return literal(text, (code) =>
		code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`,
	);
}

function scriptText(text: string): string {
	return literal(text, (code) => `\\u{${code.toString(16)}}`);
}

/** A text in double quotes, in which nothing is unseen. */
function literal(text: string, escaped: (code: number) => string): string {
	const characters = Array.from(text, (character) => {
		if (character === '"' || character === "\\") return `\\${character}`;
		return UNSEEN.test(character) ? escaped(character.codePointAt(0) ?? 0) : character;
	});
	return `"${characters.join("")}"`;
}
