import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PeerProcess, runToEnd } from "./process.ts";
import { useSharedPeer } from "./shared.ts";

const READY_WITHIN_MS = 600_000;
const BASE = "DC=corp,DC=example,DC=com";
const ADMIN_PASSWORD = "Passw0rd!x";
const LOCKED_AFTER = 3;
/** The search that everybody may who could bind. */
const ROOT_ENTRY = ["-s", "base", "-b", "", "1.1"];

/** Flags of `userAccountControl`. */
const NORMAL_ACCOUNT = 512;
const DISABLED_ACCOUNT = 514;
/** 1 January 2020 in Windows's time: 100 ns since 1601. */
const LONG_AGO = "132223104000000000";

interface Person {
	readonly password: string;
	readonly attributes?: Readonly<Record<string, string | number>>;
}

/** People by their sAMAccountName, all in OU=People. */
const PEOPLE: Readonly<Record<string, Person>> = {
	jdoe: {
		password: "Passw0rd!j",
		attributes: { displayName: "Jane Doe", mail: "Jane.Doe@corp.example.com", givenName: "Jane", sn: "Doe" },
	},
	noemail: { password: "Passw0rd!n" },
	nogroup: { password: "Passw0rd!g", attributes: { mail: "nogroup@corp.example.com" } },
	disabled: {
		password: "Passw0rd!d",
		attributes: { mail: "disabled@corp.example.com", userAccountControl: DISABLED_ACCOUNT },
	},
	locked: { password: "Passw0rd!l", attributes: { mail: "locked@corp.example.com" } },
	expired: { password: "Passw0rd!e", attributes: { mail: "expired@corp.example.com", accountExpires: LONG_AGO } },
	mustchange: { password: "Passw0rd!m", attributes: { mail: "mustchange@corp.example.com", pwdLastSet: 0 } },
};

/** Members by group, all in OU=Groups: jdoe is in svc-nested only by svc-admins. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
	"svc-admins": [personDn("jdoe")],
	"svc-nested": [groupDn("svc-admins")],
	"svc-members": Object.keys(PEOPLE)
		.filter((name) => name !== "jdoe" && name !== "nogroup")
		.map(personDn),
};

/** How to reach the directory. */
export interface Samba {
	/** A loopback address of its own, with the ports 389 and 636. */
	readonly host: string;
	/** File of the authority of its certificate, which is for `host`. */
	readonly authorityFile: string;
	/**
	 * What a server of ours needs to know: StartTLS, the service account, users by sAMAccountName, objectGUID as unique id,
	 * svc-admins as admins and svc-members as members by memberOf.
	 */
	readonly settings: Readonly<Record<string, string>>;
}

/** The one of this run of the tests: the first who asks starts it, the run ends it. Nobody may change what it holds. */
export function useSamba(): Promise<Samba> {
	return useSharedPeer("samba");
}

/** Samba as an Active Directory domain controller, its LDAP alone. Needs root, for the ports. */
export async function startSamba(): Promise<Samba & AsyncDisposable> {
	await using cleanup = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "spanward-samba-"));
	cleanup.defer(() => rm(folder, { recursive: true, force: true }));
	const host = await findFreeAddress();
	const configuration = await provision(folder, host);
	const authorityFile = await makeCertificate(folder, host);
	const connection = ["-H", `ldaps://${host}`, "-x", "-D", "Administrator@CORP.EXAMPLE.COM", "-w", ADMIN_PASSWORD];
	const env = { LDAPTLS_CACERT: authorityFile };
	const samba = await PeerProcess.start({
		name: "samba",
		command: "/usr/sbin/samba",
		args: ["--interactive", "--no-process-group", "--configfile", configuration],
		isReady: () => succeeds(runToEnd("ldapsearch", [...connection, ...ROOT_ENTRY], { env })),
		readyWithinMs: READY_WITHIN_MS,
	});
	cleanup.use(samba);
	await runToEnd("ldapadd", connection, { input: entries(), env });
	await lockOut(host, authorityFile, "locked");
	const resources = cleanup.move();
	return {
		host,
		authorityFile,
		settings: settings(host, authorityFile),
		[Symbol.asyncDispose]: () => resources.disposeAsync(),
	};
}

/** Several runs of the tests may be on one machine, and the ports of the protocol cannot be chosen. */
async function findFreeAddress(): Promise<string> {
	const byte = () => 1 + Math.floor(Math.random() * 253);
	for (;;) {
		const host = `127.${byte()}.${byte()}.${byte()}`;
		if ((await isFree(389, host)) && (await isFree(636, host))) return host;
	}
}

function isFree(port: number, host: string): Promise<boolean> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once("error", (error) => {
			if ("code" in error && error.code === "EADDRINUSE") resolve(false);
			else reject(error);
		});
		server.listen(port, host, () => server.close(() => resolve(true)));
	});
}

/** @returns the file of its configuration */
async function provision(folder: string, host: string): Promise<string> {
	// Without one samba-tool starts out from the machine's.
	const empty = join(folder, "empty.conf");
	await writeFile(empty, "[global]\n");
	const options = [
		`interfaces=${host}/8`,
		"bind interfaces only=yes",
		"vfs objects=acl_xattr xattr_tdb",
		"server services=ldap",
		`tls certfile=${join(folder, "server.pem")}`,
		`tls keyfile=${join(folder, "server.key")}`,
		`tls cafile=${join(folder, "authority.pem")}`,
		`log file=${join(folder, "log.%m")}`,
		`pid directory=${folder}`,
		`ncalrpc dir=${join(folder, "ncalrpc")}`,
	];
	await runToEnd("samba-tool", [
		...["domain", "provision", `--configfile=${empty}`, `--targetdir=${folder}`],
		...["--server-role=dc", "--dns-backend=NONE", "--realm=CORP.EXAMPLE.COM", "--domain=CORP", "--host-name=dc1"],
		...[`--host-ip=${host}`, `--adminpass=${ADMIN_PASSWORD}`],
		...options.map((option) => `--option=${option}`),
	]);
	return join(folder, "etc", "smb.conf");
}

/** A certificate for the address, of an authority of its own. @returns the authority's file */
async function makeCertificate(folder: string, host: string): Promise<string> {
	const run = (...args: string[]) => runToEnd("openssl", args, { cwd: folder });
	const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
	await run("req", "-x509", ...newKey, "-days", "2", "-subj", "/CN=AD", "-keyout", "ca.key", "-out", "authority.pem");
	await run("req", ...newKey, "-subj", "/CN=dc1", "-keyout", "server.key", "-out", "request.pem");
	await writeFile(join(folder, "extensions"), `subjectAltName=IP:${host}\nextendedKeyUsage=serverAuth\n`);
	const signed = ["-CA", "authority.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "extensions"];
	await run("x509", "-req", "-in", "request.pem", "-days", "2", ...signed, "-out", "server.pem");
	// Samba wants nobody else to read it.
	await chmod(join(folder, "server.key"), 0o600);
	return join(folder, "authority.pem");
}

function entries(): string {
	const people = Object.entries(PEOPLE).map(([name, { password, attributes }]) => [
		`dn: ${personDn(name)}`,
		"objectClass: user",
		`sAMAccountName: ${name}`,
		`userPrincipalName: ${name}@corp.example.com`,
		...Object.entries({ userAccountControl: NORMAL_ACCOUNT, ...attributes }).map(([key, value]) => `${key}: ${value}`),
		`unicodePwd:: ${Buffer.from(`"${password}"`, "utf16le").toString("base64")}`,
	]);
	const groups = Object.entries(GROUPS).map(([name, members]) => [
		`dn: ${groupDn(name)}`,
		"objectClass: group",
		`sAMAccountName: ${name}`,
		...members.map((member) => `member: ${member}`),
	]);
	const units = ["People", "Groups"].map((name) => [`dn: OU=${name},${BASE}`, "objectClass: organizationalUnit"]);
	const minutes = (count: number) => -count * 60 * 10_000_000;
	const lockout = [
		`dn: CN=lockout,CN=Password Settings Container,CN=System,${BASE}`,
		"objectClass: msDS-PasswordSettings",
		"msDS-PasswordSettingsPrecedence: 1",
		"msDS-PasswordReversibleEncryptionEnabled: FALSE",
		"msDS-PasswordHistoryLength: 0",
		"msDS-PasswordComplexityEnabled: FALSE",
		"msDS-MinimumPasswordLength: 0",
		"msDS-MinimumPasswordAge: 0",
		`msDS-MaximumPasswordAge: ${minutes(60 * 24 * 30)}`,
		`msDS-LockoutThreshold: ${LOCKED_AFTER}`,
		`msDS-LockoutObservationWindow: ${minutes(60)}`,
		`msDS-LockoutDuration: ${minutes(24 * 60)}`,
		`msDS-PSOAppliesTo: ${personDn("locked")}`,
	];
	return [...units, ...people, ...groups, lockout].map((lines) => `${lines.join("\n")}\n`).join("\n");
}

async function lockOut(host: string, authorityFile: string, name: string): Promise<void> {
	const connection = ["-H", `ldaps://${host}`, "-x", "-D", `${name}@corp.example.com`, "-w", "wrong"];
	for (let failure = 0; failure < LOCKED_AFTER; failure++) {
		await succeeds(runToEnd("ldapsearch", [...connection, ...ROOT_ENTRY], { env: { LDAPTLS_CACERT: authorityFile } }));
	}
}

async function succeeds(run: Promise<unknown>): Promise<boolean> {
	return await run.then(
		() => true,
		() => false,
	);
}

function settings(host: string, authorityFile: string): Readonly<Record<string, string>> {
	return {
		SERVICE_LDAP_HOST: host,
		SERVICE_LDAP_TLS_CA_CERT_FILE: authorityFile,
		SERVICE_LDAP_BIND_DN: "Administrator@CORP.EXAMPLE.COM",
		SERVICE_LDAP_BIND_PASSWORD: ADMIN_PASSWORD,
		SERVICE_LDAP_USER_SEARCH_BASE_DNS: JSON.stringify([`OU=People,${BASE}`]),
		SERVICE_LDAP_ATTR_EMAIL: "mail",
		SERVICE_LDAP_ATTR_UNIQUE_ID: "objectGUID",
		SERVICE_LDAP_GROUP_ROLE_MAPPINGS: JSON.stringify([
			{ group_dn: groupDn("svc-admins"), role: "ADMIN" },
			{ group_dn: groupDn("svc-members"), role: "MEMBER" },
		]),
	};
}

function personDn(name: string): string {
	return `CN=${name},OU=People,${BASE}`;
}

function groupDn(name: string): string {
	return `CN=${name},OU=Groups,${BASE}`;
}
