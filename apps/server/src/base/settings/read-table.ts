import { readVariable } from "./read-variable.ts";
import { type Environment, type SettingTable, shown } from "./setting.ts";

/** The values of a table of settings; a wrong one has its default. */
export interface TableRead {
	readonly values: Readonly<Record<string, unknown>>;
	/** Each names its variable, and shows no secret. */
	readonly problems: readonly string[];
	/** Names in the table of those that are wrong. */
	readonly failed: ReadonlySet<string>;
}

/** @param prefix what the variables have before the names in the table */
export function readTable(table: SettingTable, environment: Environment, prefix = ""): TableRead {
	const problems: string[] = [];
	const failed = new Set<string>();
	const values: Record<string, unknown> = {};
	for (const [name, { schema, default: fallback, secret = false }] of Object.entries(table)) {
		const fail = (problem: string) => {
			problems.push(problem);
			failed.add(name);
		};
		values[name] = fallback;
		const variable = readVariable(`${prefix}${name}`, environment, secret);
		if ("problem" in variable) fail(variable.problem);
		else if (variable.text !== undefined) {
			const parsed = schema.safeParse(variable.text);
			if (parsed.success) values[name] = parsed.data;
			else {
				const value = secret ? "" : ` (it is ${shown(variable.text)})`;
				fail(`${prefix}${name} ${parsed.error.issues.map((issue) => issue.message).join(", ")}${value}`);
			}
		}
	}
	return { values, problems, failed };
}
