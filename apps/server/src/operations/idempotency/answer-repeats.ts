import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { accessEnded } from "#access/auth/access-errors.ts";
import { UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { callerOf, type Principal } from "#http/principal.ts";
import { type Claim, claimKey, forgetKey, keepAnswer, type StoredAnswer } from "./queries.ts";
import { HELD_FOR, RunningClaims } from "./running-claims.ts";

declare module "fastify" {
	interface FastifyContextConfig {
		/**
		 * `never` for bodies with a password or answers with an API key: nothing is stored, and `Idempotency-Key` is ignored.
		 * `answered` for policies other than `write` and `admin`.
		 */
		repeats?: "never" | "answered";
	}
	interface FastifyRequest {
		/** Set while the request is the first with its `Idempotency-Key`. */
		firstWithKey: Claim | undefined;
	}
}

const KEY = /^[\x21-\x7e]{1,255}$/;
/** Characters; longer answers are not stored, so that a repeated request is processed again. */
const MAX_ANSWER = 1_048_576;

/**
 * A POST that is sent again with the same `Idempotency-Key` gets the answer of the first and does nothing, for a day
 * (draft-ietf-httpapi-idempotency-key-header). Only 2xx answers are stored: failed requests may be retried.
 * Has to be called before the plugin that compresses answers.
 */
export function answerRepeats(app: App, { db, log, now }: Pick<WritingContext, "db" | "log" | "now">): void {
	const startedAt = now();
	/** Older unfinished requests are taken for abandoned; on a shared database, another process may be working on one. */
	const unfinishedBefore = () => (db.isShared ? now() - HELD_FOR : startedAt);
	const onError = (err: unknown) => log.error({ err }, "requests with an Idempotency-Key could not be renewed");
	const running = new RunningClaims({ db, now, onError });
	app.addHook("onClose", async () => running[Symbol.dispose]());
	app.decorateRequest("firstWithKey");

	app.addHook("preHandler", async (request, reply) => {
		const key = request.headers["idempotency-key"];
		if (key === undefined || !mayRepeat(request)) return;
		if (typeof key !== "string" || !KEY.test(key)) {
			throw new UserError(
				422,
				"invalid_idempotency_key",
				"Idempotency-Key has to be 1 to 255 visible ASCII characters, for example a UUID.",
			);
		}
		const claim = { caller: askerOf(request.principal), key };
		const known = await claimKey(db, {
			...claim,
			requestHash: fingerprint(request),
			now: now(),
			startedAt: unfinishedBefore(),
		});
		if (known === undefined) {
			request.firstWithKey = claim;
			if (db.isShared) running.add(claim);
			return;
		}
		for (const [home, needed] of known.entered) {
			if (!enterSeen(request.actor, home, needed)) throw accessEnded();
		}
		await request.actor.assertStillAllowed();
		return replay(reply, known);
	});

	app.addHook("onSend", async (request, reply, payload) => {
		const claim = request.firstWithKey;
		if (claim === undefined) return payload;
		request.firstWithKey = undefined;
		running.delete(claim);
		try {
			const answer = toStored(reply, payload, request.actor);
			await (answer === undefined ? forgetKey(db, claim) : keepAnswer(db, claim, answer));
		} catch (error) {
			// The request itself succeeded, or failed with its own answer, which the caller gets in any case.
			log.error(
				{ err: error },
				"an answer could not be stored; the request will be refused if it is sent again with its key",
			);
		}
		return payload;
	});
}

/** @returns undefined for an answer that is not stored, so that the request may be processed again */
function toStored(reply: FastifyReply, payload: unknown, { entered }: Actor): StoredAnswer | undefined {
	if (reply.statusCode >= 300 || !(payload === null || typeof payload === "string")) return undefined;
	if ((payload?.length ?? 0) > MAX_ANSWER) return undefined;
	const contentType = reply.getHeader("content-type");
	return {
		status: reply.statusCode,
		contentType: typeof contentType === "string" ? contentType : null,
		body: payload,
		entered: [...entered],
	};
}

function mayRepeat({ method, routeOptions }: FastifyRequest): boolean {
	const { access, repeats } = routeOptions.config;
	if (method !== "POST" || repeats === "never") return false;
	return access === "write" || access === "admin" || repeats === "answered";
}

/** A key or program may be allowed less than its user, so it gets only answers to itself. */
function askerOf(principal: Principal): string {
	if (principal.kind === "oauth_token") return `grant ${principal.grantId}`;
	return principal.kind === "user_key" ? `key ${principal.keyId}` : callerOf(principal);
}

function replay(reply: FastifyReply, { status, contentType, body }: StoredAnswer): FastifyReply {
	reply.code(status).header("idempotent-replayed", "true");
	if (contentType !== null) reply.type(contentType);
	return reply.send(body);
}

/** The parsed body of a form is its digest. Bodies that the handler reads itself are compared by length only. */
function fingerprint({ url, body, headers }: FastifyRequest): Buffer {
	const content = body === undefined ? [headers["content-length"]] : body;
	const text = JSON.stringify([url, content], (_name, value) => (typeof value === "bigint" ? `${value}n` : value));
	return createHash("sha256").update(text).digest();
}
