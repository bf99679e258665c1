import { randomUUID } from "node:crypto";
import { forbidden, unauthorized } from "#access/auth/access-errors.ts";
import { mayCall } from "#access/auth/may-call.ts";
import type { Auth } from "#access/create-auth.ts";
import { senderOf } from "#access/rights/sender-rights.ts";
import type { ActAs } from "#http/actor.ts";
import { notAllowed } from "./answers.ts";
import { refusalOf } from "./grpc-answer.ts";
import type { AuthorizeExport } from "./receive-grpc.ts";

/** Requires `authorization` in the metadata of every gRPC call, whatever its method; gRPC has no cookies. */
export function authorizeExports(
	{ principals, denials, rights }: Pick<Auth, "principals" | "denials" | "rights">,
	actAs: ActAs,
): AuthorizeExport {
	return async ({ method, metadata, rawMetadata, ip }) => {
		const { authorization, "user-agent": userAgent } = metadata;
		const headers = authorization === undefined ? {} : { authorization };
		const credentials = await principals.authenticate({ headers, rawHeaders: rawMetadata });
		if ("refused" in credentials) return { unauthorized: refusalOf(notAllowed(unauthorized(credentials.refused))) };
		const { principal } = credentials;
		if (mayCall(principal, "ingest"))
			return { sender: await senderOf(await actAs(principal, "ingest", "editor"), rights) };
		const error = forbidden(principal, "ingest", false);
		const request = { ip, id: randomUUID(), headers: userAgent === undefined ? {} : { "user-agent": userAgent } };
		// One name for all unknown methods, so that invented ones do not fill the audit log.
		const known = method.startsWith("/opentelemetry.proto.collector.") ? method.slice(0, 200) : "unknown method";
		await denials.record(principal, `gRPC ${known}`, error.code, request);
		return { unauthorized: refusalOf(notAllowed(error)) };
	};
}
