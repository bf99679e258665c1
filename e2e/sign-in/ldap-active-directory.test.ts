import { afterAll, beforeAll, expect } from "vitest";
import { startWithAuth } from "../access/accounts.ts";
import { testWith } from "../peers/requirements.ts";
import { type Samba, useSamba } from "../peers/samba.ts";
import type { TestServer } from "../server.ts";
import { directoryStatus, logInWithDirectory, tryDirectory } from "./directory-log-in.ts";

const test = testWith("samba");
const GROUPS = "OU=Groups,DC=corp,DC=example,DC=com";

let samba: Samba;
let server: TestServer;
beforeAll(async () => {
	samba = await useSamba();
	server = await startWithAuth(samba.settings);
});
afterAll(() => server[Symbol.asyncDispose]());

test("somebody of Active Directory logs in and is known by a GUID", async () => {
	const jane = await logInWithDirectory(server, "jdoe", "Passw0rd!j");
	expect(jane).toMatchObject({
		username: "Jane Doe",
		email: "jane.doe@corp.example.com",
		role: "ADMIN",
		ldap_unique_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
	});
	expect((await logInWithDirectory(server, "JDOE", "Passw0rd!j")).id).toBe(jane.id);
});

test.each([
	["jdoe", "not-the-password", "52e"],
	["disabled", "Passw0rd!d", "533"],
	["locked", "Passw0rd!l", "775"],
	["expired", "Passw0rd!e", "701"],
	["mustchange", "Passw0rd!m", "773"],
])("T174: %s with %s is refused like everybody, and the log has the code %s", async (username, password, code) => {
	const before = server.output.length;
	const response = await tryDirectory(server, username, password);
	expect([response.status, await response.text()]).toEqual([401, "Wrong username or password"]);
	const said = server.output.slice(before);
	expect(said).toContain(`(data ${code})`);
	expect(said).not.toMatch(new RegExp(`CN=${username}|${password}|OU=People`, "i"));
});

test("an account of Active Directory without an email is refused, and one without a group", async () => {
	expect(await directoryStatus(server, "noemail", "Passw0rd!n")).toBe(401);
	expect(await directoryStatus(server, "nogroup", "Passw0rd!g")).toBe(401);
});

test("the bases may be the whole domain, whose references to other servers are left alone", async () => {
	await using whole = await startWithAuth({
		...samba.settings,
		SERVICE_LDAP_USER_SEARCH_BASE_DNS: JSON.stringify(["DC=corp,DC=example,DC=com"]),
	});
	expect(await directoryStatus(whole, "jdoe", "Passw0rd!j")).toBe(204);
	expect(await directoryStatus(whole, "nobody", "Passw0rd!j")).toBe(401);
});

test("T166: groups in groups count with the search that Active Directory has for that", async () => {
	const mapping = JSON.stringify([{ group_dn: `CN=svc-nested,${GROUPS}`, role: "MEMBER" }]);
	await using direct = await startWithAuth({ ...samba.settings, SERVICE_LDAP_GROUP_ROLE_MAPPINGS: mapping });
	expect(await directoryStatus(direct, "jdoe", "Passw0rd!j")).toBe(401);
	await using chain = await startWithAuth({
		...samba.settings,
		SERVICE_LDAP_GROUP_ROLE_MAPPINGS: mapping,
		SERVICE_LDAP_GROUP_SEARCH_BASE_DNS: JSON.stringify([GROUPS]),
		SERVICE_LDAP_GROUP_SEARCH_FILTER: "(member:1.2.840.113556.1.4.1941:=%s)",
		SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR: "distinguishedName",
	});
	expect(await logInWithDirectory(chain, "jdoe", "Passw0rd!j")).toMatchObject({ role: "MEMBER" });
	expect(await directoryStatus(chain, "nogroup", "Passw0rd!g")).toBe(401);
});

test("passwords are not taken without encryption, nor a search without a service account; the log says what to set", async () => {
	await using clear = await startWithAuth({ ...samba.settings, SERVICE_LDAP_TLS_MODE: "none" });
	expect(await directoryStatus(clear, "jdoe", "Passw0rd!j")).toBe(503);
	expect(clear.output).toContain("accepts passwords only over an encrypted connection");
	await using anonymous = await startWithAuth({
		...samba.settings,
		SERVICE_LDAP_BIND_DN: "",
		SERVICE_LDAP_BIND_PASSWORD: "",
	});
	expect(await directoryStatus(anonymous, "jdoe", "Passw0rd!j")).toBe(503);
	expect(anonymous.output).toContain("SERVICE_LDAP_BIND_DN");
});
