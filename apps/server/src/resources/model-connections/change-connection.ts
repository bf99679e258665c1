import type { Kysely } from "kysely";
import type { z } from "zod";
import { UserError, ValidationError } from "#base/errors.ts";
import type { UpdateModelConnectionBody } from "#base/model-connections/connection-schemas.ts";
import {
	type ConnectionDefinition,
	type ConnectionProblem,
	changeDefinition,
	connectionProblems,
	type Held,
} from "#base/model-connections/definition.ts";
import { CREDENTIAL_FIELDS, credentialsOf } from "#base/model-connections/kinds.ts";
import {
	type CredentialChange,
	type HeldCredential,
	headerField,
	headerOf,
	isCredentialField,
	listHeld,
} from "#models/connections/credentials.ts";
import { type ConnectionRow, definitionOf } from "#models/connections/stored-definition.ts";
import { isOfPreset, isOtherTarget } from "#models/connections/target.ts";
import type { Tables } from "#storage/schema.ts";

type Body = Pick<z.output<typeof UpdateModelConnectionBody>, "credentials" | "headers">;

/** What credentials and headers a body stores and deletes, by the field of `model_credentials`. */
export function credentialChanges({ credentials, headers }: Body): Map<string, CredentialChange> {
	const changes = new Map<string, CredentialChange>();
	for (const field of CREDENTIAL_FIELDS) {
		const given = credentials?.[field];
		if (given === null) changes.set(field, null);
		else if (given?.secret !== undefined) changes.set(field, { secret: given.secret });
		else if (given?.value !== undefined) changes.set(field, { value: given.value });
	}
	for (const [header, value] of Object.entries(headers ?? {})) {
		changes.set(headerField(header), value === null ? null : { value });
	}
	return changes;
}

/**
 * A stored connection as a request changes it.
 * @throws UserError 422 `credentials_required` when stored credentials would go to somebody else; ValidationError
 */
export async function planChange(
	db: Kysely<Tables>,
	row: ConnectionRow,
	body: z.output<typeof UpdateModelConnectionBody>,
): Promise<{ readonly definition: ConnectionDefinition; readonly changes: ReadonlyMap<string, CredentialChange> }> {
	const { credentials, headers, ...members } = body;
	const before = definitionOf(row);
	const definition = changeDefinition(before, members);
	const changes = credentialChanges({ credentials, headers });
	const held = await listHeld(db, [row.id]);
	if (isOtherTarget(before, definition)) {
		const taken = credentialsOf(definition.kind);
		const isUseless = ({ field }: HeldCredential) => isCredentialField(field) && !taken.includes(field);
		assertSentAgain(held.filter((of) => !changes.has(of.field) && !isUseless(of)));
		for (const of of held) if (isUseless(of)) changes.set(of.field, null);
	}
	const known = connectionProblems(before, toHeld(held, new Map()));
	checkDefinition(definition, held, changes, known);
	return { definition, changes };
}

function assertSentAgain(missing: readonly HeldCredential[]): void {
	if (missing.length === 0) return;
	const names = missing.map(({ field }) => headerOf(field) ?? field);
	throw new UserError(
		422,
		"credentials_required",
		`The stored credentials were entered for another address, kind or version of the API. Send each again in the same request, or null to delete it: ${names.join(", ")}. Nothing was changed.`,
		{ details: { missing: names } },
	);
}

/**
 * Checks what does not follow from single members.
 * @param held what is stored before the changes
 * @param known problems that were there before, which a change need not repair
 * @throws ValidationError, or UserError 422 `secret_needs_preset`
 */
export function checkDefinition(
	definition: ConnectionDefinition,
	held: readonly HeldCredential[],
	changes: ReadonlyMap<string, CredentialChange>,
	known: readonly ConnectionProblem[] = [],
): void {
	const isKnown = (problem: ConnectionProblem) => known.some(({ message }) => message === problem.message);
	const problems = connectionProblems(definition, toHeld(held, changes)).filter((problem) => !isKnown(problem));
	if (problems.length > 0) {
		throw new ValidationError(
			problems.map(({ path, message }) => ({
				type: "value_error",
				loc: ["body", ...path],
				msg: `Value error, ${message}`,
			})),
		);
	}
	const kept = held.some(({ field, secret_key: secret }) => secret !== null && !changes.has(field));
	const given = [...changes.values()].some((change) => change !== null && "secret" in change);
	if ((kept || given) && !isOfPreset(definition)) {
		throw new UserError(
			422,
			"secret_needs_preset",
			"A stored secret is sent only to the address that the kind or a preset has of its own. For another address, send the credential as a value.",
		);
	}
}

function toHeld(held: readonly HeldCredential[], changes: ReadonlyMap<string, CredentialChange>): Held {
	const fields = new Set(held.map(({ field }) => field));
	for (const [field, change] of changes) {
		if (change === null) fields.delete(field);
		else fields.add(field);
	}
	return {
		credentials: [...fields].filter(isCredentialField),
		headers: [...fields].flatMap((field) => headerOf(field) ?? []),
	};
}
