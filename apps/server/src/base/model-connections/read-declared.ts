import type { z } from "zod";
import { SecretText } from "../secret-text.ts";
import { valueKind } from "../settings/value-kinds.ts";
import { DeclaredConnectionBody, MAX_CONNECTIONS } from "./connection-schemas.ts";
import { type ConnectionDefinition, connectionProblems, toDefinition } from "./definition.ts";
import { CREDENTIAL_FIELDS, type CredentialField } from "./kinds.ts";

/** A connection that the settings declare, with what only this process knows. */
export interface DeclaredConnection {
	readonly definition: ConnectionDefinition;
	readonly credentials: Readonly<Partial<Record<CredentialField, SecretText>>>;
	/** By name in lower case. */
	readonly headers: Readonly<Record<string, SecretText>>;
}

const FORM =
	'must be a JSON array of connections such as [{"name": "openai", "kind": "openai", "credentials": {"api_key": {"value": "<key>"}}}]';

/** Problems name entries by position and members by name, and quote nothing: any of it may be a key. */
export const declaredConnections = valueKind(
	"a JSON array of connections, as `POST /v1/model_connections` takes them",
	(text, wrong): readonly DeclaredConnection[] => {
		const entries = parseEntries(text);
		if (typeof entries === "string") {
			wrong(`${FORM}; ${entries}`);
			return [];
		}
		const read = entries.map((entry) => readEntry(entry));
		const names = new Set<string>();
		read.forEach((entry, index) => {
			const problems = "problems" in entry ? entry.problems : [];
			for (const problem of problems) wrong(`entry [${index}]${problem}`);
			if ("problems" in entry) return;
			if (names.has(entry.definition.name)) wrong(`entry [${index}], name: an entry before it has the same`);
			names.add(entry.definition.name);
		});
		if (read.length > MAX_CONNECTIONS) wrong(`may have at most ${MAX_CONNECTIONS} connections`);
		return read.flatMap((entry) => ("problems" in entry ? [] : [entry]));
	},
);

/** The entries, or what is wrong with the text as a whole. */
function parseEntries(text: string): readonly unknown[] | string {
	try {
		const parsed: unknown = JSON.parse(text);
		return Array.isArray(parsed) ? parsed : "this is not an array";
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		// The rest of the message quotes the text.
		const [place] = /line \d+ column \d+/.exec(error.message) ?? [];
		return place === undefined ? "this is not JSON" : `this is not JSON (${place})`;
	}
}

function readEntry(entry: unknown): DeclaredConnection | { readonly problems: readonly string[] } {
	const parsed = DeclaredConnectionBody.safeParse(entry);
	if (!parsed.success) return { problems: parsed.error.issues.flatMap((issue) => toProblems(issue)) };
	const { credentials, headers, ...rest } = parsed.data;
	const values = CREDENTIAL_FIELDS.flatMap((field) => {
		const value = credentials?.[field]?.value;
		return value === undefined ? [] : [[field, new SecretText(value)] as const];
	});
	const definition = toDefinition(rest);
	const problems = connectionProblems(definition, {
		credentials: values.map(([field]) => field),
		headers: Object.keys(headers ?? {}),
	});
	if (problems.length > 0) {
		return { problems: problems.map(({ path, message }) => `, ${path.join(".")}: ${message}`) };
	}
	return {
		definition,
		credentials: Object.fromEntries(values),
		headers: Object.fromEntries(
			Object.entries(headers ?? {}).map(([header, value]) => [header, new SecretText(value)]),
		),
	};
}

/** Names of members as they are written in the docs. */
const MEMBER = /^[a-z][a-z_]{0,40}$/;

function toProblems(issue: z.core.$ZodIssue): readonly string[] {
	const at = (path: readonly PropertyKey[]) => {
		const members = path.map((part) => (typeof part === "string" && !MEMBER.test(part) ? "…" : String(part)));
		return members.length === 0 ? "" : `, ${members.join(".")}`;
	};
	if (issue.code === "unrecognized_keys") {
		return issue.keys.map((key) =>
			MEMBER.test(key)
				? `${at([...issue.path, key])}: there is no such member`
				: `${at(issue.path)}: has a member that is not known`,
		);
	}
	return [`${at(issue.path)}: ${issue.message}`];
}
