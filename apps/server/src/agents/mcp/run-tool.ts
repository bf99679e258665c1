import type { PageLinks } from "#http/page-links.ts";
import { CALL_MS, CALL_SECONDS } from "./call-time.ts";
import type { Rest } from "./rest.ts";
import type { Call, Tool, ToolAnswer } from "./tool.ts";

interface Run {
	/** Sends requests as the caller, until the signal ends them. */
	readonly rest: (signal: AbortSignal) => Rest;
	readonly links: PageLinks;
	readonly progress: Call["progress"];
	/** Aborted when the caller waits no longer. */
	readonly cancelled: AbortSignal;
}

/** Nothing was read within {@link CALL_MS}. */
export class TooSlow extends Error {
	override readonly name = "TooSlow";
}

/**
 * What a tool answers within {@link CALL_MS}, with a note of what could not be read in that time.
 * @throws TooSlow
 */
export async function runTool(
	tool: Tool,
	args: Record<string, unknown>,
	{ rest, links, progress, cancelled }: Run,
): Promise<ToolAnswer & { readonly isPartial: boolean }> {
	const late = AbortSignal.timeout(CALL_MS);
	const isTooSlow = () => late.aborted && !cancelled.aborted;
	const missing: string[] = [];
	const call: Call = {
		rest: rest(AbortSignal.any([cancelled, late])),
		links,
		progress,
		part: async (what, read) => {
			try {
				return await read();
			} catch (error) {
				if (!isTooSlow()) throw error;
				missing.push(what);
				return undefined;
			}
		},
	};
	try {
		const { data, text } = await tool.run(args, call);
		if (missing.length === 0) return { data, text, isPartial: false };
		const note = `This answer is partial. Not read within ${CALL_SECONDS}: ${missing.join(", ")}. Ask again, or for less.`;
		return { data: { ...data, not_read_in_time: missing }, text: `${text}\n${note}`, isPartial: true };
	} catch (error) {
		throw isTooSlow() ? new TooSlow(wordsOf(tool), { cause: error }) : error;
	}
}

/** A change that has begun is completed, whoever waits for it. */
function wordsOf({ access }: Tool): string {
	return access === "read"
		? `Nothing was read within ${CALL_SECONDS}. Ask for less: a shorter time (start_time, end_time), a filter such as name == '…', or fewer items.`
		: `This was not answered within ${CALL_SECONDS}, and may have been done all the same. Look before you send it again, or send it again with the idempotency_key that it had.`;
}
