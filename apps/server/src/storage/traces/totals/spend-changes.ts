import { hash } from "node:crypto";
import { NO_COST, type SummedCost, toDollars } from "./cost-pico.ts";
import { counts, type SpanNode } from "./span-node.ts";

/** What is spent is kept by quarters of an hour, since there are time zones that begin at one. */
export const QUARTER_MICROS = 900_000_000;
export const QUARTERS_OF_HOUR = 4;

/** The quarter of an hour of a time, counted since 1970. */
export function quarterOf(micros: number): number {
	return Math.floor(micros / QUARTER_MICROS);
}

/** Spans of a user and a key that start in a quarter of an hour. */
export interface SpendGroup {
	readonly projectId: number;
	readonly quarter: number;
	readonly userId: string | null;
	readonly apiKeyId: number | null;
}

interface Spent {
	tokens: number;
	/** With `costPico`, the two numbers of a `SummedCost`. */
	costMicro: number;
	costPico: number;
}

/** Whose a trace was, and is. */
export type Users = Readonly<Record<"from" | "to", string | null>>;

/** What spans of a group have spent more, or less. */
export interface SpendChange extends SpendGroup, Spent {}

/**
 * Changes of what stored spans have spent, within one transaction, under the rule of the totals by hour: tokens and cost
 * count in the quarter in which the span starts, and only of spans whose usage does not repeat that of others. The user
 * of a span is its own, else that of its trace.
 */
export class SpendChanges {
	readonly #changes = new Map<string, SpendChange>();
	#isKept = false;

	/** What goes in this transaction was spent all the same: spans are deleted, not corrected. */
	keep(): void {
		this.#isKept = true;
	}

	/** Whether what is spent stays the same, whatever becomes of the spans. */
	get isKept(): boolean {
		return this.#isKept;
	}

	/** Adds (1) or subtracts (-1) a span, with the mark "usage below" as it is stored. */
	addSpan(projectId: number, node: SpanNode, traceUser: string | null, sign: 1 | -1): void {
		if (counts(node)) this.#addUsage(projectId, node, traceUser, sign);
	}

	/** Subtracts a span that counted until a descendant had usage. */
	discountSpan(projectId: number, node: SpanNode, traceUser: string | null): void {
		this.#addUsage(projectId, node, traceUser, -1);
	}

	/** Adds to the cost of a stored span that counts. */
	addCost(projectId: number, node: SpanNode, traceUser: string | null, gain: SummedCost): void {
		this.add(groupOf(projectId, node, traceUser), { tokens: 0, costMicro: gain.micro, costPico: gain.pico });
	}

	add(group: SpendGroup, { tokens, costMicro, costPico }: Spent): void {
		const change = this.#at(group);
		change.tokens += tokens;
		change.costMicro += costMicro;
		change.costPico += costPico;
	}

	/** The same with users as they are stored: different ones may be one then. */
	storedAs(stored: (user: string) => string): SpendChanges {
		const changes = new SpendChanges();
		if (this.#isKept) changes.keep();
		for (const change of this.#changes.values())
			changes.add({ ...change, userId: change.userId === null ? null : stored(change.userId) }, change);
		return changes;
	}

	/** Gives what spans without a user of their own have spent to another user of their trace. */
	moveUser(projectId: number, nodes: Iterable<SpanNode>, { from, to }: Users): void {
		if (from === to) return;
		for (const node of nodes) {
			if (node.userId !== null) continue;
			this.addSpan(projectId, node, from, -1);
			this.addSpan(projectId, node, to, 1);
		}
	}

	/** Those that change something. */
	list(): SpendChange[] {
		return [...this.#changes.values()].filter(
			({ tokens, costMicro, costPico }) => tokens !== 0 || costMicro !== 0 || costPico !== 0,
		);
	}

	/** Those that change something before a quarter; they are forgotten here. */
	takeBefore(quarter: number): SpendChange[] {
		const taken = this.list().filter((change) => change.quarter < quarter);
		for (const [key, change] of this.#changes) if (change.quarter < quarter) this.#changes.delete(key);
		return taken;
	}

	clear(): void {
		this.#changes.clear();
		this.#isKept = false;
	}

	/** Whether all of it together is less than nothing. */
	get isLess(): boolean {
		const sum = { tokens: 0, micro: 0, pico: 0 };
		for (const { tokens, costMicro, costPico } of this.#changes.values()) {
			sum.tokens += tokens;
			sum.micro += costMicro;
			sum.pico += costPico;
		}
		return sum.tokens < 0 || toDollars(sum) < 0;
	}

	#addUsage(projectId: number, node: SpanNode, traceUser: string | null, sign: 1 | -1): void {
		const { total, cost } = node;
		if (total === 0 && cost === null) return;
		const { micro, pico } = cost ?? NO_COST;
		const spent = { tokens: sign * total, costMicro: sign * micro, costPico: sign * pico };
		this.add(groupOf(projectId, node, traceUser), spent);
	}

	#at(group: SpendGroup): SpendChange {
		const { projectId, quarter, userId, apiKeyId } = group;
		const key = `${projectId} ${quarter} ${apiKeyId ?? ""} ${userId === null ? "" : `=${userId}`}`;
		const known = this.#changes.get(key);
		if (known !== undefined) return known;
		const change = { ...group, tokens: 0, costMicro: 0, costPico: 0 };
		this.#changes.set(key, change);
		return change;
	}
}

function groupOf(projectId: number, { startMicros, userId, apiKeyId }: SpanNode, traceUser: string | null): SpendGroup {
	return { projectId, quarter: quarterOf(startMicros), userId: userId ?? traceUser, apiKeyId };
}

/** Columns of `spend` that name a group; `slot` is that of the writer. */
export const SPEND_KEY = ["project_id", "quarter", "user_hash", "api_key_id", "slot"] as const;
/** Sums of what stored spans have spent, and of what those have that are gone. */
export const SPEND_SUMS = ["tokens", "cost_micro", "cost_pico", "gone_tokens", "gone_micro", "gone_pico"] as const;
/** What an update sets in rows whose spans all go: what they have spent was spent all the same. */
export const ALL_GONE = `tokens = 0, cost_micro = 0, cost_pico = 0, gone_tokens = gone_tokens + tokens,
	gone_micro = gone_micro + cost_micro, gone_pico = gone_pico + cost_pico`;
/** All columns, in the order of {@link spendValues}. */
export const SPEND_COLUMNS = [...SPEND_KEY, "user_id", ...SPEND_SUMS] as const;

/** The place of `api_key_id` where there is no key. */
const NO_KEY = 0;
const HASH_BYTES = 16;

export type SpendValues = readonly [
	projectId: number,
	quarter: number,
	userHash: Uint8Array,
	apiKeyId: number,
	slot: number,
	userId: string | null,
	...sums: number[],
];

/** The amounts to add to a row. */
export function spendValues(change: SpendChange, slot: number, isKept: boolean): SpendValues {
	const { projectId, quarter, userId, apiKeyId, tokens, costMicro, costPico } = change;
	const gone = isKept ? [-tokens, -costMicro, -costPico] : [0, 0, 0];
	return [projectId, quarter, hashOf(userId), apiKeyId ?? NO_KEY, slot, userId, tokens, costMicro, costPico, ...gone];
}

/** In place of the id of a user in keys, whose length has a limit in PostgreSQL; empty for no user. */
function hashOf(userId: string | null): Uint8Array {
	if (userId === null) return new Uint8Array(0);
	return hash("sha256", userId, "buffer").subarray(0, HASH_BYTES);
}
