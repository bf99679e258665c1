import { diffArrays } from "diff";
import type { z } from "zod";
import type { PromptMessage } from "./definition-schemas.ts";
import type { PromptVersion, PromptVersionDiff } from "./schemas.ts";

type Version = z.output<typeof PromptVersion>;
type Message = z.output<typeof PromptMessage>;
type Diff = z.output<typeof PromptVersionDiff>;
type DiffOfMessage = Diff["messages"][number];
type Path = Diff["changes"][number]["path"];

/** Looking for the fewest changes may take so long for all messages of two versions; then whole texts are other ones. */
const LONGEST_MS = 200;
/** More changed lines than this in one text, and it is another text. */
const MAX_EDITS = 2_000;

/** What is other in `after`. */
export function diffVersions(before: Version, after: Version): Diff {
	const changes = [...changesBetween(comparable(before), comparable(after), [])];
	const messages = diffMessages(before.template.messages, after.template.messages);
	return {
		id: after.id,
		against: before.id,
		is_equal: changes.length === 0 && messages.every(({ kind }) => kind === "equal"),
		changes,
		messages,
	};
}

function comparable(version: Version): object {
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

function* changesBetween(before: unknown, after: unknown, path: Path): Generator<Diff["changes"][number]> {
	if (JSON.stringify(before) === JSON.stringify(after)) return;
	if (before === undefined) return yield { path, kind: "added", before, after };
	if (after === undefined) return yield { path, kind: "removed", before, after };
	if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
		return yield { path, kind: "changed", before, after };
	}
	const isList = Array.isArray(before);
	for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
		yield* changesBetween(member(before, key), member(after, key), [...path, isList ? Number(key) : key]);
	}
}

function isContainer(value: unknown): value is object {
	return typeof value === "object" && value !== null && !JSON.isRawJSON(value);
}

function member(container: object, key: string): unknown {
	return Object.hasOwn(container, key) ? Reflect.get(container, key) : undefined;
}

/** The messages of both in one order; those that take another's place are compared with it. */
function diffMessages(before: readonly Message[], after: readonly Message[]): DiffOfMessage[] {
	const end = performance.now() + LONGEST_MS;
	const texts = (messages: readonly Message[]) => messages.map((message) => JSON.stringify(message));
	const parts = diffArrays(texts(before), texts(after));
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
			diffs.push(diffMessage(from, to, end));
		}
		nextBefore += removed;
		nextAfter += added;
	}
	return diffs;
}

interface Placed {
	readonly position: number;
	readonly message: Message;
}

function at(messages: readonly Message[], position: number): Placed | null {
	const message = messages[position];
	return message === undefined ? null : { position, message };
}

function diffMessage(before: Placed | null, after: Placed | null, end: number): DiffOfMessage {
	const isEqual = JSON.stringify(before?.message) === JSON.stringify(after?.message);
	return {
		kind: before === null ? "added" : after === null ? "removed" : isEqual ? "equal" : "changed",
		before: before === null ? null : { position: before.position, role: before.message.role },
		after: after === null ? null : { position: after.position, role: after.message.role },
		lines: diffLines(linesOf(before), linesOf(after), end),
	};
}

/** Texts of a message one below the other, other parts as JSON. */
function linesOf(placed: Placed | null): string[] {
	if (placed === null) return [];
	const { content } = placed.message;
	const texts = typeof content === "string" ? [content] : content.map(textOfPart);
	return texts.flatMap((text) => text.split("\n"));
}

function textOfPart(part: Exclude<Message["content"], string>[number]): string {
	return part.type === "text" ? part.text : JSON.stringify(part, null, 2);
}

function diffLines(before: string[], after: string[], end: number): DiffOfMessage["lines"] {
	const timeout = end - performance.now();
	const found = timeout > 0 ? diffArrays(before, after, { timeout, maxEditLength: MAX_EDITS }) : undefined;
	const parts = found ?? [
		{ removed: true, added: false, value: before },
		{ removed: false, added: true, value: after },
	];
	return parts.flatMap(({ added, removed, value }) =>
		value.map((text) => ({ kind: added ? "added" : removed ? "removed" : "equal", text }) as const),
	);
}
