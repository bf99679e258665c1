import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { Fact, Steps } from "#access/sign-in/steps.ts";
import type { Config } from "#base/config.ts";
import { publicUrl } from "#base/settings/derived.ts";
import { readTls, servesTls } from "#base/settings/tls-material.ts";
import { hostOf } from "./exchange.ts";

const DAY_MS = 86_400_000;
/** A certificate that expires sooner gets a warning. */
const SOON_DAYS = 21;

/** Checks the certificate of this server. */
export function checkOwnCertificate(config: Config, steps: Steps): void {
	const { material } = readTls(config);
	if (material === undefined) {
		steps.skip("tls", "This server does not use TLS itself: SERVICE_TLS_ENABLED is not true.");
		return;
	}
	const certificate = new X509Certificate(material.cert);
	noteValidity(certificate, "SERVICE_TLS_CERT_FILE", steps);
	const url = publicUrl(config);
	if (url === undefined || !servesTls(config).http || isFor(certificate, url)) return;
	steps.warn(
		"tls",
		"The certificate is not for the host of SERVICE_ROOT_URL: correct only behind a proxy with a certificate of its own.",
		{
			settings: ["SERVICE_TLS_CERT_FILE", "SERVICE_ROOT_URL"],
			facts: certificateFacts(certificate),
		},
	);
}

/** Checks that a certificate is valid now, and for some more weeks. */
export function noteValidity(certificate: X509Certificate, setting: string, steps: Steps): void {
	const days = Math.floor((certificate.validToDate.getTime() - Date.now()) / DAY_MS);
	const facts = certificateFacts(certificate);
	if (certificate.validFromDate.getTime() > Date.now()) {
		steps.fail("tls", "The certificate is not valid yet, or the clock of this machine is slow.", {
			settings: [setting],
			facts,
		});
	} else if (days < 0) steps.fail("tls", "The certificate has expired.", { settings: [setting], facts });
	else if (days < SOON_DAYS) {
		steps.warn("tls", `The certificate expires in ${days} days.`, { settings: [setting], facts });
	} else steps.ok("tls", `The certificate is valid for ${days} more days.`, { facts });
}

export function certificateFacts(certificate: X509Certificate): Fact[] {
	return [
		{ name: "Subject", value: certificate.subject.replaceAll("\n", ", ") },
		{ name: "Issuer", value: certificate.issuer.replaceAll("\n", ", ") },
		{ name: "For", value: certificate.subjectAltName ?? "" },
		{ name: "Expires", value: certificate.validToDate.toISOString() },
	];
}

function isFor(certificate: X509Certificate, url: string): boolean {
	const host = hostOf(url);
	return (isIP(host) > 0 ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}
