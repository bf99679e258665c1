import { setImmediate as nextTurn } from "node:timers/promises";
import { diffArrays } from "diff";
import type { z } from "zod";
import { jsonChanges } from "#http/json-changes.ts";
import type { PromptMessage } from "#models/definition-schemas.ts";
import type { PromptVersion, PromptVersionDiff } from "./schemas.ts";

type Version = z.output<typeof PromptVersion>;
type Message = z.output<typeof PromptMessage>;
type Diff = z.output<typeof PromptVersionDiff>;
type DiffOfMessage = Diff["messages"][number];

/** Time for finding minimal diffs of all messages of two versions; after it, texts are replaced as a whole. */
const LONGEST_MS = 100;
/** After this time, other requests get a turn of the event loop. */
const TURN_MS = 20;
/** A text with more changed lines than this is replaced as a whole. */
const MAX_EDITS = 2_000;

/** Total lines of all messages that are compared line by line; further texts are compared as a whole. */
const MAX_LINES = 100_000;

/** The changes from `before` to `after`, in bounded time and size, computed in several turns of the event loop. */
export async function diffVersions(before: Version, after: Version): Promise<Diff> {
	const changes = jsonChanges(comparable(before), comparable(after));
	await nextTurn();
	const messages = await diffMessages(before.template.messages, after.template.messages);
	return {
		id: after.id,
		against: before.id,
		is_equal: changes.length === 0 && messages.every(({ kind }) => kind === "equal"),
		changes,
		messages,
	};
}

function comparable(version: Version): Record<string, unknown> {
	const { description, metadata, model_provider, model_name, template_format, invocation_parameters } = version;
	const { tools, response_format } = version;
	return {
		description,
		metadata,
		model_provider,
		model_name,
		template_format,
		invocation_parameters,
		tools,
		response_format,
	};
}

/** The messages of both in one order; a message in the place of a removed one is compared with it. */
async function diffMessages(before: readonly Message[], after: readonly Message[]): Promise<DiffOfMessage[]> {
	const budget = { ms: LONGEST_MS, lines: MAX_LINES };
	const texts = (messages: readonly Message[]) => messages.map((message) => JSON.stringify(message));
	const [fromTexts, toTexts] = [texts(before), texts(after)];
	const parts = fewestChanges(fromTexts, toTexts, budget);
	await nextTurn();
	let turn = performance.now();
	const diffs: DiffOfMessage[] = [];
	let [nextBefore, nextAfter] = [0, 0];
	for (const [index, part] of parts.entries()) {
		if (part.added && parts[index - 1]?.removed) continue;
		const replaced = part.removed ? parts[index + 1] : undefined;
		const removed = part.added ? 0 : part.value.length;
		const added = part.removed ? (replaced?.added ? replaced.value.length : 0) : part.value.length;
		for (let n = 0; n < Math.max(removed, added); n++) {
			const from = n < removed ? at(before, nextBefore + n) : null;
			const to = n < added ? at(after, nextAfter + n) : null;
			diffs.push(diffMessage(from, to, budget));
			if (performance.now() - turn < TURN_MS) continue;
			await nextTurn();
			turn = performance.now();
		}
		nextBefore += removed;
		nextAfter += added;
	}
	return diffs;
}

/** What is left for all messages of two versions. */
interface Budget {
	ms: number;
	lines: number;
}

interface Placed {
	readonly position: number;
	readonly message: Message;
}

function at(messages: readonly Message[], position: number): Placed | null {
	const message = messages[position];
	return message === undefined ? null : { position, message };
}

function diffMessage(before: Placed | null, after: Placed | null, budget: Budget): DiffOfMessage {
	const isEqual = JSON.stringify(before?.message) === JSON.stringify(after?.message);
	return {
		kind: before === null ? "added" : after === null ? "removed" : isEqual ? "equal" : "changed",
		before: before === null ? null : { position: before.position, role: before.message.role },
		after: after === null ? null : { position: after.position, role: after.message.role },
		lines: diffLines(linesOf(before, budget), linesOf(after, budget), budget),
	};
}

/** The lines of a message: of its texts one after the other, and of its other parts as JSON. */
function linesOf(placed: Placed | null, budget: Budget): string[] {
	if (placed === null) return [];
	const { content } = placed.message;
	const texts = typeof content === "string" ? [content] : content.map(textOfPart);
	return texts.flatMap((text) => {
		const lines = text.split("\n", budget.lines + 1);
		if (lines.length > budget.lines) return [text];
		budget.lines -= lines.length;
		return lines;
	});
}

function textOfPart(part: Exclude<Message["content"], string>[number]): string {
	return part.type === "text" ? part.text : JSON.stringify(part, null, 2);
}

function diffLines(before: string[], after: string[], budget: Budget): DiffOfMessage["lines"] {
	return fewestChanges(before, after, budget).flatMap(({ added, removed, value }) =>
		value.map((text) => ({ kind: added ? "added" : removed ? "removed" : "equal", text }) as const),
	);
}

interface Part {
	readonly added: boolean;
	readonly removed: boolean;
	readonly value: string[];
}

/** Takes its time from the budget; without any left, removes everything and adds everything. */
function fewestChanges(before: string[], after: string[], budget: Budget): Part[] {
	const start = performance.now();
	const options = { timeout: budget.ms, maxEditLength: MAX_EDITS };
	const found = budget.ms > 0 ? diffArrays(before, after, options) : undefined;
	budget.ms -= performance.now() - start;
	if (found !== undefined) return found;
	return [
		{ removed: true, added: false, value: before },
		{ removed: false, added: true, value: after },
	];
}
