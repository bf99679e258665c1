import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CertificateName } from "../mail-sink.ts";
import { freePort } from "../server.ts";
import { listens, PeerProcess, runToEnd } from "./process.ts";

const CERTIFICATES = join(import.meta.dirname, "../certificates");
const ENTRIES = join(import.meta.dirname, "slapd/base.ldif");
const READY_WITHIN_MS = 200_000;
const ADMIN_DN = "cn=admin,dc=example,dc=com";
const ADMIN_PASSWORD = "admin-pw";

export interface SlapdOptions {
	/** Of `e2e/certificates`; without one it offers neither StartTLS nor LDAPS. */
	readonly certificate?: CertificateName | "none";
	/** Asks clients for a certificate of the same authority. */
	readonly verifyClient?: boolean;
	/** Entries that one search may give; more come in pages. */
	readonly sizeLimit?: number;
	/** What one may do who did not bind: "read" everything but passwords, only "bind", or nothing at all. */
	readonly anonymous?: "read" | "bind" | "refused";
	/** Further lines of the database in slapd.conf before the general ones, such as `access to … by …`. */
	readonly accessRules?: string;
	/** Entries besides those of `slapd/base.ldif`. */
	readonly ldif?: string;
}

/**
 * OpenLDAP with the people and groups of `slapd/base.ldif`, whose passwords are their uid and "-pw", memberOf kept by the overlay.
 * A bind with a DN and an empty password succeeds, as it does on many servers: the trap for careless clients.
 */
export class Slapd implements AsyncDisposable {
	readonly port: number;
	readonly tlsPort: number;
	readonly #folder: string;
	readonly #options: SlapdOptions;
	#process: PeerProcess | undefined;
	#log = "";

	private constructor(folder: string, port: number, tlsPort: number, options: SlapdOptions) {
		this.#folder = folder;
		this.port = port;
		this.tlsPort = tlsPort;
		this.#options = options;
	}

	static async start(options: SlapdOptions): Promise<Slapd> {
		const folder = await mkdtemp(join(tmpdir(), "spanward-slapd-"));
		const slapd = new Slapd(folder, await freePort(), await freePort(), options);
		try {
			await mkdir(join(folder, "db"));
			// What apparmor profiles let slapd read is not the sources.
			for (const name of ["authority.pem", `${slapd.#certificate}.pem`, `${slapd.#certificate}.key`]) {
				await copyFile(join(CERTIFICATES, name), join(folder, name));
			}
			await writeFile(join(folder, "slapd.conf"), slapd.#configuration());
			await slapd.start();
			await slapd.#ldap("ldapadd", ["-M", "-f", ENTRIES]);
			if (options.ldif !== undefined) await slapd.add(options.ldif);
		} catch (error) {
			await slapd[Symbol.asyncDispose]();
			throw error;
		}
		return slapd;
	}

	/** Starts it again on the same ports with what it holds. */
	async start(): Promise<void> {
		const urls = [`ldap://127.0.0.1:${this.port}`];
		if (this.#options.certificate !== "none") urls.push(`ldaps://127.0.0.1:${this.tlsPort}`);
		this.#process = await PeerProcess.start({
			name: "slapd",
			command: "/usr/sbin/slapd",
			args: ["-f", join(this.#folder, "slapd.conf"), "-h", urls.join(" "), "-d", "stats"],
			isReady: () => listens(this.port),
			readyWithinMs: READY_WITHIN_MS,
		});
	}

	async stop(): Promise<void> {
		this.#log += this.#process?.log ?? "";
		await this.#process?.[Symbol.asyncDispose]();
		this.#process = undefined;
	}

	/** What was asked of it, a line for each operation (`BIND dn="…"`, `SRCH base="…"`), over all its starts. */
	get log(): string {
		return this.#log + (this.#process?.log ?? "");
	}

	/** What a server of ours needs to know: StartTLS, the service account, and developers as members, admins as admins. */
	get settings(): Readonly<Record<string, string>> {
		return {
			SERVICE_LDAP_HOST: "127.0.0.1",
			SERVICE_LDAP_PORT: String(this.port),
			SERVICE_LDAP_TLS_CA_CERT_FILE: join(CERTIFICATES, "authority.pem"),
			SERVICE_LDAP_BIND_DN: "cn=svc,ou=services,dc=example,dc=com",
			SERVICE_LDAP_BIND_PASSWORD: "svc-pw",
			SERVICE_LDAP_USER_SEARCH_BASE_DNS: JSON.stringify(["ou=users,dc=example,dc=com"]),
			SERVICE_LDAP_USER_SEARCH_FILTER: "(&(objectClass=inetOrgPerson)(uid=%s))",
			SERVICE_LDAP_ATTR_EMAIL: "mail",
			SERVICE_LDAP_GROUP_ROLE_MAPPINGS: JSON.stringify([
				{ group_dn: "cn=admins,ou=groups,dc=example,dc=com", role: "ADMIN" },
				{ group_dn: "cn=developers,ou=groups,dc=example,dc=com", role: "MEMBER" },
			]),
		};
	}

	/** Adds entries, as the directory's admin. */
	async add(ldif: string): Promise<void> {
		await this.#ldap("ldapadd", ["-M"], ldif);
	}

	/** Changes, renames or deletes entries: LDIF with `changetype`. */
	async modify(ldif: string): Promise<void> {
		await this.#ldap("ldapmodify", ["-M"], ldif);
	}

	async #ldap(program: string, args: readonly string[], input?: string): Promise<void> {
		// A host without StartTLS has to be filled too, and a client certificate is for others.
		const connection = ["-x", "-H", `ldap://127.0.0.1:${this.port}`, "-D", ADMIN_DN, "-w", ADMIN_PASSWORD];
		await runToEnd(program, [...connection, ...args], {
			...(input === undefined ? {} : { input }),
			env: { LDAPNOINIT: "1" },
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
		await rm(this.#folder, { recursive: true, force: true });
	}

	get #certificate(): CertificateName {
		const { certificate = "server" } = this.#options;
		return certificate === "none" ? "server" : certificate;
	}

	#configuration(): string {
		const { certificate, verifyClient = false, sizeLimit = 500, anonymous = "read", accessRules = "" } = this.#options;
		const file = (name: string) => join(this.#folder, name);
		const tls = [
			`TLSCACertificateFile ${file("authority.pem")}`,
			`TLSCertificateFile ${file(`${this.#certificate}.pem`)}`,
			`TLSCertificateKeyFile ${file(`${this.#certificate}.key`)}`,
			`TLSVerifyClient ${verifyClient ? "demand" : "never"}`,
		];
		return `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
moduleload refint
pidfile ${file("slapd.pid")}
${certificate === "none" ? "" : tls.join("\n")}
allow bind_anon_cred bind_anon_dn
${anonymous === "refused" ? "disallow bind_anon\nrequire authc" : ""}
sizelimit size.soft=${sizeLimit} size.hard=${sizeLimit} size.prtotal=unlimited
database mdb
suffix "dc=example,dc=com"
rootdn "${ADMIN_DN}"
rootpw ${ADMIN_PASSWORD}
directory ${file("db")}
maxsize 104857600
envflags nosync
index objectClass,uid,mail,entryUUID,memberUid,member eq
overlay memberof
memberof-refint TRUE
overlay refint
refint_attributes member memberOf
${accessRules}
access to attrs=userPassword by self write by anonymous auth by * none
access to * by anonymous ${anonymous === "read" ? "read" : "none"} by users read
`;
	}
}

/** `await using slapd = await startSlapd();` */
export function startSlapd(options: SlapdOptions = {}): Promise<Slapd> {
	return Slapd.start(options);
}
