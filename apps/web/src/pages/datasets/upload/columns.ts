import type { Json } from "../../../ui/content/json-value.ts";

/** The roles of a column of a file. */
export const ROLES = ["input", "output", "metadata", "split", "id", "span", "ignored"] as const;
export type Role = (typeof ROLES)[number];

/** Roles that at most one column of a file may have. */
const SINGLE: ReadonlySet<Role> = new Set(["split", "id", "span"]);

/** The beginning of a file as a table. */
export interface Preview {
	readonly columns: readonly string[];
	readonly rows: readonly (readonly (Json | undefined)[])[];
	/** Whether the file has more rows than these. */
	readonly hasMore: boolean;
}

export interface Column {
	readonly name: string;
	readonly role: Role;
	/** Whether the members of its objects become separate fields, instead of one field with an object. */
	readonly spread: boolean;
	/** Whether all its values are objects, so that they can be spread. */
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

/** Guesses roles from the usual names of columns; other columns become metadata. */
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
	// A dataset needs an input: the first column that was not recognized.
	const first = columns.findIndex(({ role }) => role === "metadata");
	return columns.map((column, index) => (index === first ? { ...column, role: "input" } : column));
}

/** Changes a column; a role that only one column may have is taken from the other. */
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

/** The form fields of the upload that name the columns by role. */
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
