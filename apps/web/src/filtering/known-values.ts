import type { FilterTarget, RowKind } from "@spanward/filter-language";

interface Counted {
	readonly value: string;
}

/** What a sample of a project's spans contains, the most frequent first. */
interface Sampled {
	readonly fields: Readonly<Record<string, readonly Counted[]>>;
	readonly attributes: readonly {
		readonly key: string;
		readonly type: "text" | "number" | "boolean" | "other";
		readonly values: readonly Counted[];
	}[];
}

/** What the data and the configuration of a project contain, for completions. */
export interface KnownValues {
	readonly annotations: readonly { readonly name: string; readonly labels: readonly string[] }[];
	readonly sampled?: Sampled | undefined;
	/** Keys of attributes of what sends spans. */
	readonly resources?: readonly string[] | undefined;
}

const FIELDS: Readonly<Record<string, string>> = {
	model: "model",
	provider: "provider",
	session_id: "session_id",
	user_id: "user_id",
	release: "release",
	environment: "environment",
};

/** Values of a field of the rows. */
export function fieldValues({ sampled }: KnownValues, rows: RowKind | FilterTarget, field: string): readonly string[] {
	const name = field === "name" && rows !== "annotation" ? (rows === "trace" ? "root_name" : "name") : FIELDS[field];
	return ((name && sampled?.fields[name]) || []).map(({ value }) => value);
}

/** Values of an attribute, by its flattened key. */
export function attributeValues({ sampled }: KnownValues, key: string): readonly string[] {
	return sampled?.attributes.find((each) => each.key === key)?.values.map(({ value }) => value) ?? [];
}

export function attributeType({ sampled }: KnownValues, key: string): "text" | "number" | "boolean" | undefined {
	const type = sampled?.attributes.find((each) => each.key === key)?.type;
	return type === "other" ? undefined : type;
}

const METADATA = "metadata.";

/** Keys as written in the brackets of `metadata[…]`, `attributes[…]` or `resource[…]`. */
export function keysOf(
	{ sampled, resources = [] }: KnownValues,
	opener: "metadata" | "attributes" | "resource",
): readonly string[] {
	if (opener === "resource") return resources;
	const keys = sampled?.attributes.map(({ key }) => key) ?? [];
	if (opener === "attributes") return keys.filter((key) => !key.startsWith(METADATA));
	return keys.filter((key) => key.startsWith(METADATA)).map((key) => key.slice(METADATA.length));
}
