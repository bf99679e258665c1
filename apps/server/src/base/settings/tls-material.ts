import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { SecretText } from "../secret-text.ts";
import { fileReason } from "./read-variable.ts";
import type { Config } from "./settings.ts";

export type TlsSettings = Pick<Config, keyof Config & `SERVICE_TLS_${string}`>;

/** What HTTP and gRPC are served with over TLS; takes the shape of Node's options. */
export interface TlsMaterial {
	/** PEM: the certificate and the intermediate ones. */
	readonly cert: string;
	/** PEM, decrypted. */
	readonly key: string;
	readonly minVersion: "TLSv1.2";
	/** OpenSSL's names, separated by colons. */
	readonly ciphers: string;
	/** PEM: authorities whose client certificates are accepted. */
	readonly ca?: string;
	readonly requestCert: boolean;
	readonly rejectUnauthorized: boolean;
}

/**
 * For TLS 1.2 only ciphers with forward secrecy and without CBC: ephemeral keys with AEAD, which HTTP/2 requires anyway
 * (RFC 9325, 4.2; RFC 9113, 9.2.2). After them those of TLS 1.3.
 */
const CIPHERS = [
	"ECDHE-ECDSA-AES128-GCM-SHA256",
	"ECDHE-RSA-AES128-GCM-SHA256",
	"ECDHE-ECDSA-AES256-GCM-SHA384",
	"ECDHE-RSA-AES256-GCM-SHA384",
	"ECDHE-ECDSA-CHACHA20-POLY1305",
	"ECDHE-RSA-CHACHA20-POLY1305",
	"TLS_AES_128_GCM_SHA256",
	"TLS_AES_256_GCM_SHA384",
	"TLS_CHACHA20_POLY1305_SHA256",
].join(":");

export interface TlsRead {
	readonly material: TlsMaterial | undefined;
	/** Each names its variable and file. */
	readonly problems: readonly string[];
	readonly warnings: readonly string[];
}

export function servesTls(config: TlsSettings): { readonly http: boolean; readonly grpc: boolean } {
	return {
		http: config.SERVICE_TLS_ENABLED_FOR_HTTP ?? config.SERVICE_TLS_ENABLED,
		grpc: config.SERVICE_TLS_ENABLED_FOR_GRPC ?? config.SERVICE_TLS_ENABLED,
	};
}

/** Reads certificate, key and authorities, and checks that they belong together. */
export function readTls(config: TlsSettings): TlsRead {
	const { http, grpc } = servesTls(config);
	const problems: string[] = [];
	const warnings: string[] = [];
	const none = { material: undefined, problems, warnings };
	const verify = config.SERVICE_TLS_VERIFY_CLIENT;
	if (verify && config.SERVICE_TLS_CA_FILE === null) {
		problems.push("SERVICE_TLS_VERIFY_CLIENT=true needs SERVICE_TLS_CA_FILE, the authorities of client certificates");
	}
	if (!http && !grpc) {
		if (verify || config.SERVICE_TLS_CERT_FILE !== null || config.SERVICE_TLS_KEY_FILE !== null) {
			warnings.push("the TLS settings have no effect: SERVICE_TLS_ENABLED is not true");
		}
		return none;
	}
	const read = (name: keyof TlsSettings & `${string}_FILE`) => readPem(name, config[name], problems);
	const cert = config.SERVICE_TLS_CERT_FILE === null ? missing("SERVICE_TLS_CERT_FILE") : read("SERVICE_TLS_CERT_FILE");
	const key = config.SERVICE_TLS_KEY_FILE === null ? missing("SERVICE_TLS_KEY_FILE") : read("SERVICE_TLS_KEY_FILE");
	const ca = read("SERVICE_TLS_CA_FILE");
	function missing(name: string): undefined {
		problems.push(`SERVICE_TLS_ENABLED needs ${name}, the path of a PEM file`);
	}

	const authorities = ca === undefined ? [] : parseCertificates("SERVICE_TLS_CA_FILE", ca, problems);
	const { certificates, privateKey } = checkKeyPair(
		{ name: "SERVICE_TLS_CERT_FILE", file: cert },
		{
			name: "SERVICE_TLS_KEY_FILE",
			file: key,
			password: { name: "SERVICE_TLS_KEY_FILE_PASSWORD", secret: config.SERVICE_TLS_KEY_FILE_PASSWORD },
		},
		problems,
	);
	warnings.push(
		...validityWarnings("SERVICE_TLS_CERT_FILE", certificates),
		...validityWarnings("SERVICE_TLS_CA_FILE", authorities),
	);
	if (problems.length > 0 || cert === undefined || privateKey === undefined) return none;
	return {
		problems,
		warnings,
		material: {
			cert: cert.pem,
			key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
			minVersion: "TLSv1.2",
			ciphers: CIPHERS,
			...(verify && ca !== undefined ? { ca: ca.pem } : {}),
			requestCert: verify,
			rejectUnauthorized: verify,
		},
	};
}

interface PemFile {
	readonly path: string;
	readonly pem: string;
}

const MAX_PEM_BYTES = 1_048_576;

/** The text of a file; undefined when none is named, or when it cannot be used, which is added to `problems`. */
export function readPem(name: string, path: string | null, problems: string[]): PemFile | undefined {
	if (path === null) return undefined;
	const named = (reason: string) => {
		problems.push(`${name}: the file ${JSON.stringify(path)} ${reason}`);
		return undefined;
	};
	try {
		const stats = statSync(path);
		if (stats.isDirectory()) return named("is a folder");
		if (!stats.isFile()) return named("is not a file");
		if (stats.size > MAX_PEM_BYTES) return named(`is larger than ${MAX_PEM_BYTES} bytes`);
		const pem = readFileSync(path, "latin1");
		return pem.trim() === "" ? named("is empty") : { path, pem };
	} catch (error) {
		return named(fileReason(error));
	}
}

const CERTIFICATE =
	/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]+?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

export function parseCertificates(name: string, { path, pem }: PemFile, problems: string[]): X509Certificate[] {
	const texts = pem.match(CERTIFICATE) ?? [];
	if (texts.length === 0) problems.push(`${name}: the file ${JSON.stringify(path)} has no certificate in PEM`);
	return texts.flatMap((text, index) => {
		try {
			return [new X509Certificate(text)];
		} catch {
			problems.push(`${name}: certificate ${index + 1} in ${JSON.stringify(path)} cannot be read`);
			return [];
		}
	});
}

interface NamedFile {
	/** The variable that names it. */
	readonly name: string;
	/** Undefined when it is not set or cannot be read. */
	readonly file: PemFile | undefined;
}

interface KeyFile extends NamedFile {
	/** Absent where an encrypted key cannot be used. */
	readonly password?: { readonly name: string; readonly secret: SecretText | null };
}

/** Parses a certificate and its key, and checks that they belong together. */
export function checkKeyPair(
	cert: NamedFile,
	key: KeyFile,
	problems: string[],
): { readonly certificates: readonly X509Certificate[]; readonly privateKey: KeyObject | undefined } {
	const certificates = cert.file === undefined ? [] : parseCertificates(cert.name, cert.file, problems);
	const privateKey = key.file === undefined ? undefined : parseKey(key, key.file, problems);
	const [leaf] = certificates;
	if (leaf !== undefined && privateKey !== undefined && !leaf.checkPrivateKey(privateKey)) {
		problems.push(
			`${key.name}: the key in ${JSON.stringify(key.file?.path)} is not that of the first certificate in ${JSON.stringify(cert.file?.path)} (${cert.name})`,
		);
	}
	return { certificates, privateKey };
}

function parseKey({ name, password }: KeyFile, { path, pem }: PemFile, problems: string[]): KeyObject | undefined {
	const wrong = (reason: string) => {
		problems.push(`${name}: the file ${JSON.stringify(path)} ${reason}`);
		return undefined;
	};
	if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) return wrong("has no private key in PEM");
	// PKCS #8, or the older form of OpenSSL (RFC 1421) with its headers.
	const isEncrypted = pem.includes("BEGIN ENCRYPTED PRIVATE KEY") || /^Proc-Type: *4,ENCRYPTED/m.test(pem);
	if (isEncrypted && password === undefined) return wrong("is encrypted, and there is no setting for its password");
	if (isEncrypted && password?.secret === null) return wrong(`is encrypted and needs ${password.name}`);
	try {
		return createPrivateKey({ key: pem, ...(password?.secret ? { passphrase: password.secret.reveal() } : {}) });
	} catch {
		// OpenSSL's own message names its functions, and differs by version.
		return wrong(isEncrypted ? `cannot be decrypted with ${password?.name}` : "has a private key that cannot be read");
	}
}

function validityWarnings(name: string, certificates: readonly X509Certificate[]): string[] {
	const now = Date.now();
	return certificates.flatMap((certificate) => {
		const subject = certificate.subject.replaceAll("\n", ", ");
		if (certificate.validToDate.getTime() < now) {
			return [`${name}: the certificate of ${subject} expired on ${certificate.validToDate.toISOString()}`];
		}
		if (certificate.validFromDate.getTime() > now) {
			return [
				`${name}: the certificate of ${subject} is valid only from ${certificate.validFromDate.toISOString()} on`,
			];
		}
		return [];
	});
}
