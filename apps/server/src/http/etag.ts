import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { UserError } from "#base/errors.ts";

/** A row that changes; its entity tag identifies the state that somebody has read (RFC 9110, section 8.8.3). */
interface Versioned {
	readonly id: number;
	/** Microseconds since 1970. */
	readonly updated_at: number;
}

/** Tells the caller which state of the row the answer shows. */
export function setEtag(reply: FastifyReply, row: Versioned): void {
	reply.header("etag", etagOf(row));
}

/** The entity tag of a state that no time tells from others, by everything that makes it. */
export function tagOf(state: unknown): string {
	return `"${createHash("sha256").update(JSON.stringify(state)).digest("base64url").slice(0, 22)}"`;
}

/**
 * Call it in the transaction that changes the row, with the row as that transaction reads it.
 * @throws UserError 412 when `If-Match` does not name the stored state (RFC 9110, section 13.1.1)
 */
export function assertIfMatch(request: FastifyRequest, row: Versioned): void {
	if (!matches(request, etagOf(row))) throw preconditionFailed();
}

/**
 * The same with the entity tag itself.
 * @param findDetails what the problem document says besides, such as who made the last change
 * @throws UserError 412
 */
export async function assertTagMatches(
	request: Pick<FastifyRequest, "headers">,
	tag: string,
	findDetails: () => Promise<object | undefined>,
): Promise<void> {
	if (!matches(request, tag)) throw preconditionFailed(await findDetails());
}

function matches(request: Pick<FastifyRequest, "headers">, tag: string): boolean {
	const wanted = request.headers["if-match"];
	if (wanted === undefined || wanted.trim() === "*") return true;
	// Proxies that compress answers make tags weak; they still name the state.
	const tags = wanted.split(",").map((each) => each.trim().replace(/^W\//, ""));
	return tags.includes(tag);
}

function preconditionFailed(details?: object): UserError {
	return new UserError(
		412,
		"precondition_failed",
		"This was changed by somebody else since it was read: read it again, and send the change with the new ETag in If-Match.",
		details === undefined ? {} : { details },
	);
}

export function etagOf({ id, updated_at }: Versioned): string {
	return `"${id}-${updated_at.toString(36)}"`;
}
