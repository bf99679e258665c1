import type { Invocation } from "../invocation.ts";
import { toJson } from "../terminal.ts";
import { findVersion } from "./version.ts";

/** `spanward prompts diff`: what changed from one version to another. */
export async function diffPrompt(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const spanward = await invocation.connect();
	const prompt = invocation.argument(0);
	const before = await findVersion(spanward, prompt, invocation.argument(1));
	const after = await findVersion(spanward, prompt, invocation.positionals[2] ?? "latest");
	const diff = await spanward.prompts.diff(after.id, before.id);
	if (terminal.isJson) {
		await terminal.printJson(diff);
		return undefined;
	}
	if (diff.is_equal) terminal.note("They are the same.");
	const marks = { equal: " ", added: "+", removed: "-" } as const;
	const styles = { equal: [], added: ["green"], removed: ["red"] } as const;
	for (const { kind, before: from, after: to, lines } of diff.messages) {
		if (kind === "equal") continue;
		await terminal.print(terminal.style(`@@ ${from?.role ?? "(none)"} to ${to?.role ?? "(none)"}, ${kind}`, "cyan"));
		for (const line of lines) {
			const [shown = ""] = terminal.lines(line.text);
			await terminal.print(terminal.style(`${marks[line.kind]}${shown}`, ...styles[line.kind]));
		}
	}
	for (const { path, before: from, after: to } of diff.changes) {
		await terminal.print(terminal.style(terminal.oneLine(`@@ ${path.join(".")}`), "cyan"));
		if (from !== undefined) await terminal.print(terminal.style(terminal.oneLine(`-${toJson(from)}`), "red"));
		if (to !== undefined) await terminal.print(terminal.style(terminal.oneLine(`+${toJson(to)}`), "green"));
	}
	return undefined;
}
