/** Compares JSON value by value, in time that grows with the size of both. */

export interface JsonDifference {
	/** Such as `items[2].price`; empty for the whole. */
	readonly path: string;
	/** Undefined where there is nothing. */
	readonly output: unknown;
	readonly expected: unknown;
}

export interface JsonComparison {
	/** Values that are in only one of both, or in both and not the same. */
	readonly differences: number;
	/** All values, those that both have counted once. */
	readonly values: number;
	readonly first: JsonDifference | undefined;
}

export interface JsonComparing {
	readonly ignore_order: boolean;
	readonly ignore_members: readonly string[];
}

/** Deeper than any input nests. */
const MAX_DEPTH = 1_000;

export function compareJson(output: unknown, expected: unknown, options: JsonComparing): JsonComparison {
	const ignored = new Set(options.ignore_members);
	let differences = 0;
	let values = 0;
	let first: JsonDifference | undefined;

	const differ = (count: number, path: string, one: unknown, other: unknown) => {
		values += count;
		differences += count;
		first ??= { path, output: one, expected: other };
	};
	const compare = (one: unknown, other: unknown, path: string, depth: number): void => {
		if (depth < MAX_DEPTH && Array.isArray(one) && Array.isArray(other)) {
			const [ones, others] = options.ignore_order ? withoutEqual(one, other, ignored) : [one, other];
			values += options.ignore_order ? one.length - ones.length : 0;
			for (let at = 0; at < Math.max(ones.length, others.length); at += 1) {
				const place = `${path}[${at}]`;
				if (at >= others.length) differ(sizeOf(ones[at], ignored), place, ones[at], undefined);
				else if (at >= ones.length) differ(sizeOf(others[at], ignored), place, undefined, others[at]);
				else compare(ones[at], others[at], place, depth + 1);
			}
			return;
		}
		if (depth < MAX_DEPTH && isMembers(one) && isMembers(other)) {
			for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
				if (ignored.has(key)) continue;
				const place = path === "" ? key : `${path}.${key}`;
				if (!Object.hasOwn(other, key)) differ(sizeOf(one[key], ignored), place, one[key], undefined);
				else if (!Object.hasOwn(one, key)) differ(sizeOf(other[key], ignored), place, undefined, other[key]);
				else compare(one[key], other[key], place, depth + 1);
			}
			return;
		}
		if (isSameScalar(one, other)) values += 1;
		else differ(Math.max(sizeOf(one, ignored), sizeOf(other, ignored)), path, one, other);
	};
	compare(output, expected, "", 0);
	return { differences, values, first };
}

/** Both lists without the items that the other has, too, each as often as it is there. */
function withoutEqual(
	ones: readonly unknown[],
	others: readonly unknown[],
	ignored: ReadonlySet<string>,
): [readonly unknown[], readonly unknown[]] {
	const counts = new Map<string, number>();
	for (const item of others) {
		const key = canonicalJson(item, ignored);
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	const taken = new Map<string, number>();
	const left = ones.filter((item) => {
		const key = canonicalJson(item, ignored);
		const remaining = counts.get(key) ?? 0;
		if (remaining === 0) return true;
		counts.set(key, remaining - 1);
		taken.set(key, (taken.get(key) ?? 0) + 1);
		return false;
	});
	const leftOthers = others.filter((item) => {
		const key = canonicalJson(item, ignored);
		const remaining = taken.get(key) ?? 0;
		if (remaining === 0) return true;
		taken.set(key, remaining - 1);
		return false;
	});
	return [left, leftOthers];
}

/** Text that is the same for equal JSON: members are sorted by name. */
export function canonicalJson(value: unknown, ignored: ReadonlySet<string> = new Set()): string {
	if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, ignored)).join(",")}]`;
	if (!isMembers(value)) return scalarText(value);
	const members = Object.keys(value)
		.filter((key) => !ignored.has(key))
		.sort()
		.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key], ignored)}`);
	return `{${members.join(",")}}`;
}

function scalarText(value: unknown): string {
	if (typeof value === "bigint") return String(value);
	return JSON.stringify(value) ?? "null";
}

function isSameScalar(one: unknown, other: unknown): boolean {
	if (one === other) return true;
	if (isContainer(one) || isContainer(other)) return false;
	return typeof one !== "string" && typeof other !== "string" && scalarText(one) === scalarText(other);
}

/** Values in it, itself counted where it has none. */
function sizeOf(value: unknown, ignored: ReadonlySet<string>): number {
	if (!isContainer(value)) return 1;
	let size = 0;
	if (Array.isArray(value)) for (const item of value) size += sizeOf(item, ignored);
	else if (isMembers(value)) {
		for (const [key, item] of Object.entries(value)) if (!ignored.has(key)) size += sizeOf(item, ignored);
	}
	return Math.max(1, size);
}

function isContainer(value: unknown): value is object {
	return Array.isArray(value) || isMembers(value);
}

/** Numbers with more digits than JavaScript's are objects, too. */
function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
