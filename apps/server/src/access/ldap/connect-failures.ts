import type { Config } from "#base/config.ts";
import { codeOf, connectionFailure } from "#base/connection-failures.ts";
import { fact } from "../sign-in/facts.ts";
import { ServerFailure } from "./failures.ts";
import type { LdapServer } from "./transport.ts";

export function connectFailure({ address }: LdapServer, cause: unknown): ServerFailure {
	const settings = ["SERVICE_LDAP_HOST", "SERVICE_LDAP_PORT"];
	const details = { settings, facts: [reason(cause)], cause };
	const failure = connectionFailure(cause);
	if (failure === "unknown_host") {
		return new ServerFailure("connect", `The name of the directory server ${address} cannot be resolved.`, details);
	}
	if (failure === "refused") return new ServerFailure("connect", `Nobody listens at ${address}.`, details);
	if (failure === "timeout") {
		return new ServerFailure("connect", `The directory server ${address} does not answer in time.`, details);
	}
	return new ServerFailure("connect", `The directory server ${address} cannot be reached.`, details);
}

/** A failure of the TLS handshake, or of the server's first message after it. */
export function tlsFailure(server: LdapServer, cause: unknown, config: Config): ServerFailure {
	const { address, host } = server;
	const kind = connectionFailure(cause);
	const facts = [reason(cause)];
	const failure = (text: string, ...settings: string[]) => new ServerFailure("tls", text, { settings, facts, cause });
	if (kind === "untrusted_certificate" || kind === "self_signed_certificate") {
		const text = `The certificate of ${address} is signed by an authority that is not trusted: name its PEM file.`;
		return failure(text, "SERVICE_LDAP_TLS_CA_CERT_FILE");
	}
	if (kind === "expired_certificate" || kind === "early_certificate") {
		const problem = kind === "expired_certificate" ? "has expired" : "is not valid yet";
		return failure(`The certificate of ${address} ${problem}: renew it there, or correct the clocks.`);
	}
	if (kind === "certificate_of_another") {
		const names = cause instanceof Error && "cert" in cause ? certificateNames(cause.cert) : "";
		if (names !== "") facts.push(fact("names", names));
		return failure(
			`The certificate of ${address} is not for the name ${host}: use a name that it contains.`,
			"SERVICE_LDAP_HOST",
		);
	}
	if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_UNKNOWN/.test(codeOf(cause))) {
		return certificateRefused(server, cause, config);
	}
	const settings = ["SERVICE_LDAP_TLS_MODE", "SERVICE_LDAP_PORT"];
	if (kind === "timeout") return failure(`${address} does not answer the TLS handshake in time.`, ...settings);
	return failure(`TLS fails with ${address}: its port may be for another mode.`, ...settings);
}

export function certificateRefused({ address }: LdapServer, cause: unknown, config: Config): ServerFailure {
	const text =
		config.SERVICE_LDAP_TLS_CLIENT_CERT_FILE === null
			? `${address} hangs up after TLS has begun: it may require a client certificate.`
			: `${address} hangs up after TLS has begun: it may not accept the client certificate.`;
	const settings = ["SERVICE_LDAP_TLS_CLIENT_CERT_FILE", "SERVICE_LDAP_TLS_CLIENT_KEY_FILE"];
	return new ServerFailure("tls", text, { settings, facts: [reason(cause)], cause });
}

function certificateNames(certificate: unknown): string {
	if (typeof certificate !== "object" || certificate === null || !("subjectaltname" in certificate)) return "";
	return typeof certificate.subjectaltname === "string" ? certificate.subjectaltname : "";
}

export function reason(error: unknown) {
	return fact("reason", codeOf(error) || (error instanceof Error ? error.message : ""));
}
