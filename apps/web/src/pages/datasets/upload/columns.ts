import type { Json } from "../../../ui/content/json-value.ts";

/** What becomes of a column of a file. */
export const ROLES = ["input", "output", "metadata", "split", "id", "span", "ignored"] as const;
export type Role = (typeof ROLES)[number];

/** Roles that one column of a file may have. */
const SINGLE: ReadonlySet<Role> = new Set(["split", "id", "span"]);

/** The beginning of a file as a table. */
export interface Preview {
	readonly columns: readonly string[];
	readonly rows: readonly (readonly (Json | undefined)[])[];
	/** The file has more rows than these. */
	readonly hasMore: boolean;
}

export interface Column {
	readonly name: string;
	readonly role: Role;
	/** The members of its objects become fields of their own, instead of one field that holds an object. */
	readonly spread: boolean;
	/** All its values are objects, so that they can be spread. */
	readonly holdsObjects: boolean;
}

const NAMES: readonly (readonly [Role, RegExp])[] = [
	["ignored", /^node_id$/],
	["id", /^(?:example_?)?id$/],
	["span", /^span_?id$/],
	["split", /^splits?$/],
	["input", /^inputs?(?:\.|$)|^(?:question|query|prompt|instruction|text|messages|user_input|request|context)s?$/],
	[
		"output",
		/^outputs?(?:\.|$)|^(?:answer|expected|expected_output|response|reference|reference_output|completion|target|label|ideal|ground_truth)s?$/,
	],
	["metadata", /^metadata(?:\.|$)/],
];

/** Roles by the names of the columns: what usually is meant by them, metadata for the rest. */
export function guessColumns(preview: Preview): Column[] {
	const taken = new Set<Role>();
	const columns = preview.columns.map((name, index): Column => {
		const holdsObjects = isObjects(preview, index);
		const [guess = "metadata"] = NAMES.find(([, pattern]) => pattern.test(name.trim().toLowerCase())) ?? [];
		const role = SINGLE.has(guess) && taken.has(guess) ? "metadata" : guess;
		taken.add(role);
		return { name, role, holdsObjects, spread: holdsObjects && /^(?:inputs?|outputs?|metadata)$/i.test(name.trim()) };
	});
	if (taken.has("input")) return columns;
	// A dataset without an input is none: the first column that nothing else is known of.
	const first = columns.findIndex(({ role }) => role === "metadata");
	return columns.map((column, index) => (index === first ? { ...column, role: "input" } : column));
}

/** The columns after one has got another role; a role that only one may have is taken from the other. */
export function changeColumn(columns: readonly Column[], name: string, change: Partial<Column>): Column[] {
	return columns.map((column) => {
		if (column.name === name) return { ...column, ...change };
		return change.role !== undefined && SINGLE.has(change.role) && column.role === change.role
			? { ...column, role: "metadata" }
			: column;
	});
}

function isObjects({ rows }: Preview, index: number): boolean {
	const values = rows.map((row) => row[index]).filter((value) => value !== undefined && value !== null);
	return values.length > 0 && values.every((value) => typeof value === "object" && !Array.isArray(value));
}

/** The fields of the upload that say what the columns are. */
export function columnFields(columns: readonly Column[]): (readonly [name: string, value: string])[] {
	const NAME_OF: Record<Role, string | undefined> = {
		input: "input_keys[]",
		output: "output_keys[]",
		metadata: "metadata_keys[]",
		split: "split_key",
		id: "example_id_key",
		span: "span_id_key",
		ignored: undefined,
	};
	return columns.flatMap(({ name, role, spread }) => {
		const field = NAME_OF[role];
		if (field === undefined) return [];
		const isContent = role === "input" || role === "output" || role === "metadata";
		return spread && isContent ? [[field, name] as const, ["flatten_keys[]", name] as const] : [[field, name] as const];
	});
}
