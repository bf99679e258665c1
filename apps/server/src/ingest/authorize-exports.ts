import { randomUUID } from "node:crypto";
import { admit } from "#access/auth/authorize.ts";
import type { Auth } from "#access/create-auth.ts";
import { senderOf } from "#access/rights/sender-rights.ts";
import { UserError } from "#base/errors.ts";
import type { ActAs } from "#http/actor.ts";
import { notAllowed } from "./answers.ts";
import { refusalOf } from "./grpc-answer.ts";
import type { AuthorizeExport } from "./receive-grpc.ts";

/**
 * Requires `authorization` in the metadata of every gRPC call, whatever its method; gRPC has no cookies.
 * @param onDenied called with why an export was not let in
 */
export function authorizeExports(
	auth: Pick<Auth, "principals" | "denials" | "keyUses" | "rights">,
	actAs: ActAs,
	onDenied: (error: UserError) => void = () => {},
): AuthorizeExport {
	return async (call) => {
		const { "user-agent": userAgent } = call.sent.headers;
		const headers = userAgent === undefined ? {} : { "user-agent": userAgent };
		// One name for all unknown methods, so that invented ones do not fill the audit log.
		const known = call.method.startsWith("/opentelemetry.proto.collector.");
		const method = known ? call.method.slice(0, 200) : "unknown method";
		const from = { ip: call.ip, id: randomUUID(), headers };
		try {
			const principal = await admit(auth, call.sent, { access: "ingest", route: `gRPC ${method}`, from });
			return { principal, sender: await senderOf(await actAs(principal, "ingest", "editor"), auth.rights) };
		} catch (error) {
			if (!(error instanceof UserError)) throw error;
			if (known) onDenied(error);
			return { refused: refusalOf(notAllowed(error)) };
		}
	};
}
