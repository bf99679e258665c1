import { usageFailure } from "./failure.ts";
import { readGiven } from "./given-file.ts";
import type { Invocation } from "./invocation.ts";
import { toJson } from "./terminal.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** `spanward api`: one request, with the log-in. */
export async function api(invocation: Invocation): Promise<undefined> {
	const { io, terminal } = invocation;
	const [given, path] = [invocation.argument(0).toUpperCase(), invocation.argument(1)];
	const method = METHODS.find((one) => one === given);
	if (method === undefined) throw usageFailure(`The method is one of ${METHODS.join(", ")}.`);
	if (!path.startsWith("/") || path.startsWith("//"))
		throw usageFailure("The path begins with a slash, such as /v1/projects.");
	const spanward = await invocation.connect();
	const data = invocation.value("data");
	const body = data?.startsWith("@") ? await readGiven(io, data.slice(1)) : data;
	if (body !== undefined && (method === "GET" || method === "HEAD")) throw usageFailure(`${method} takes no --data.`);
	const response = await spanward.api.fetch(path, {
		method,
		// A redirect elsewhere is not followed with what was sent.
		redirect: "manual",
		...(body !== undefined && {
			body,
			headers: { "content-type": invocation.value("content-type") ?? "application/json" },
		}),
	});
	if (method === "HEAD" || response.status >= 300) {
		const lines = [["status", String(response.status)], ...response.headers].map(
			([name, value]) => `${name}: ${value}`,
		);
		for (const line of lines) await terminal.print(terminal.oneLine(line));
		return undefined;
	}
	if (!io.stdout.isTTY) {
		for await (const chunk of response.body ?? []) await terminal.write(chunk);
		return undefined;
	}
	const type = response.headers.get("content-type") ?? "";
	if (!/json|text|xml|csv|html/.test(type) && response.status !== 204)
		throw usageFailure(
			`The answer is ${type || "of no type"}, nothing for a terminal: write it to a file with > file.`,
		);
	const text = await response.text();
	const shown = (/[/+]json/.test(type) ? indented(text) : undefined) ?? terminal.lines(text);
	for (const line of shown) await terminal.print(line);
	return undefined;
}

/** Lines of JSON; undefined for what is none, whatever its type says. */
function indented(text: string): string[] | undefined {
	try {
		return toJson(JSON.parse(text), "  ").split("\n");
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
