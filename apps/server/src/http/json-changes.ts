export type JsonPath = (string | number)[];

export interface JsonChange {
	path: JsonPath;
	kind: "added" | "removed" | "changed";
	before: unknown;
	after: unknown;
}

/** A member with more changes than this below it is replaced as a whole. */
const MAX_CHANGES = 1_000;

/** What changed from one JSON object to another: the smallest parts that differ, in the order of the members. */
export function jsonChanges(
	before: Readonly<Record<string, unknown>>,
	after: Readonly<Record<string, unknown>>,
): JsonChange[] {
	return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
		const [from, to] = [before[key], after[key]];
		const changes: JsonChange[] = [];
		for (const change of changesBetween(from, to, [key])) {
			if (changes.push(change) > MAX_CHANGES)
				return [{ path: [key], kind: "changed", before: from, after: to } as const];
		}
		return changes;
	});
}

function* changesBetween(before: unknown, after: unknown, path: JsonPath): Generator<JsonChange> {
	if (!(isContainer(before) && isContainer(after)) && JSON.stringify(before) === JSON.stringify(after)) return;
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
