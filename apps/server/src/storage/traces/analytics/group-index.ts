import { hash } from "node:crypto";
import type { AnalyticsQuery, GroupPosition, GroupValue } from "./analytics-query.ts";

/** Numbers groups in the order of their first row. Values of different types are different groups. */
export class GroupIndex {
	readonly groups: (readonly GroupValue[])[] = [];
	readonly #numbers: Level = new Map();

	/** The number of a group; undefined when it is unknown and `mayAdd` is false. */
	find(values: readonly GroupValue[], mayAdd: boolean): number | undefined {
		let level: Level = this.#numbers;
		const last = values.length - 1;
		for (let at = 0; at < last; at += 1) {
			const value = values[at] ?? null;
			const next = level.get(value);
			if (next instanceof Map) level = next;
			else {
				if (!mayAdd) return undefined;
				const made: Level = new Map();
				level.set(value, made);
				level = made;
			}
		}
		const value = values[last] ?? null;
		const known = level.get(value);
		if (typeof known === "number" || !mayAdd) return typeof known === "number" ? known : undefined;
		const number = this.groups.push([...values]) - 1;
		level.set(value, number);
		return number;
	}
}

type Level = Map<GroupValue, number | Level>;

/** Tells a group from others with the same value, however long its texts are. */
export function hashOfGroup(group: readonly GroupValue[]): string {
	return hash("sha256", JSON.stringify(group), "base64url").slice(0, 16);
}

/** Numbers, then texts, then booleans, each in their order; null is last. */
export function compareGroups(a: readonly GroupValue[], b: readonly GroupValue[]): number {
	for (const [at, left] of a.entries()) {
		const order = compareValues(left, b[at] ?? null);
		if (order !== 0) return order;
	}
	return 0;
}

const ORDER = ["number", "string", "boolean", "object"];

function compareValues(a: GroupValue, b: GroupValue): number {
	if (a === b) return 0;
	const types = ORDER.indexOf(typeof a) - ORDER.indexOf(typeof b);
	if (types !== 0 || a === null || b === null) return types;
	return a < b ? -1 : 1;
}

export interface SortedGroup {
	readonly group: readonly GroupValue[];
	readonly value: number | null;
}

/** Sorts in place. Groups without a value come last in either order. */
export function sortGroups(groups: SortedGroup[], { by, descending }: AnalyticsQuery["sort"]): void {
	const sign = descending ? -1 : 1;
	groups.sort((a, b) => {
		if (by === "group") return sign * compareGroups(a.group, b.group);
		if (a.value === null || b.value === null)
			return Number(a.value === null) - Number(b.value === null) || compareGroups(a.group, b.group);
		return sign * (a.value - b.value) || compareGroups(a.group, b.group);
	});
}

/** The place of the first group after a position, even if the group that it names has gone. */
export function placeAfter(
	sorted: readonly SortedGroup[],
	{ value, hash: ofGroup }: GroupPosition,
	descending: boolean,
): number {
	const sign = descending ? -1 : 1;
	const place = sorted.findIndex((each) => each.value === value && hashOfGroup(each.group) === ofGroup);
	if (place !== -1) return place + 1;
	const beyond = sorted.findIndex((each) => {
		if (each.value === null) return value !== null;
		return value !== null && sign * (each.value - value) > 0;
	});
	return beyond === -1 ? sorted.length : beyond;
}
