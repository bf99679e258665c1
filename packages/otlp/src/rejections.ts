import type { Rejection } from "./scan-model.ts";

const NAMED_PER_REASON = 20;

/** Collects rejected items in limited memory: beyond twenty per reason they are only counted. */
export class Rejections {
	readonly list: Rejection[] = [];
	readonly #byReason = new Map<string, { entries: number; last: Rejection }>();

	/** @param message called only while the reason has few entries */
	add(reason: string, message: () => string): void {
		const seen = this.#byReason.get(reason);
		if (seen !== undefined && seen.entries === NAMED_PER_REASON) {
			seen.last.count++;
			return;
		}
		const entry: Rejection = { reason, count: 1, message: message() };
		this.list.push(entry);
		this.#byReason.set(reason, { entries: (seen?.entries ?? 0) + 1, last: entry });
	}
}

/** Names an item in a sentence: by its position in the request, and its name if that is known. */
export function describeItem(item: string, position: number, name: string): string {
	return name === "" ? `${item} ${position}` : `${item} ${position} (${quote(name)})`;
}

function quote(text: string): string {
	return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
