import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SECRET } from "../access/accounts.ts";
import { KEYCLOAK_START_LIMIT, keycloakSettings, useKeycloak } from "../peers/keycloak.ts";
import { type OidcProvider, startOidcProvider } from "../peers/oidc-provider.ts";
import { testWith } from "../peers/requirements.ts";
import { askDoctor, type DoctorReport } from "./doctor.ts";

const ROOT_URL = "http://127.0.0.1:6006";

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "spanward-providers-"));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

async function ask(id: string, settings: Readonly<Record<string, string>>): Promise<DoctorReport> {
	const env = {
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_SECRET: SECRET,
		SERVICE_WORKING_DIR: folder,
		SERVICE_ROOT_URL: ROOT_URL,
		...settings,
	};
	return await askDoctor(env, ["--provider", id]);
}

function expectRegistered({ failed, steps }: DoctorReport): void {
	expect(failed).toEqual([]);
	for (const [name, text] of [
		["callback", "sends browsers back"],
		["tokens", "accepts this client"],
	]) {
		expect(steps).toContainEqual(
			expect.objectContaining({ name, outcome: "ok", text: expect.stringContaining(text ?? "") }),
		);
	}
}

describe("with oidc-provider", () => {
	let provider: OidcProvider;
	beforeAll(async () => {
		provider = await startOidcProvider({ origins: [ROOT_URL] });
	});
	afterAll(async () => provider[Symbol.asyncDispose]());

	test.each(["client_secret_basic", "client_secret_post"] as const)(
		"the doctor finds a client with %s registered, and names what is wrong otherwise",
		async (method) => {
			expectRegistered(await ask("oidc", provider.settings(method)));
			const secret = await ask("oidc", {
				...provider.settings(method),
				SERVICE_OAUTH2_OIDC_CLIENT_SECRET: "wrong-secret-value",
			});
			expect(secret.failed).toMatchObject([{ name: "tokens" }]);
			expect(secret.failed[0]?.settings).toContain("SERVICE_OAUTH2_OIDC_CLIENT_SECRET");
			const address = await ask("oidc", { ...provider.settings(method), SERVICE_ROOT_URL: "http://127.0.0.1:7007" });
			expect(address.failed).toMatchObject([{ name: "callback" }]);
			expect(address.failed[0]?.settings).toContain("SERVICE_ROOT_URL");
		},
	);
});

describe("with Keycloak", () => {
	const testKeycloak = testWith("keycloak");

	testKeycloak(
		"the doctor finds a client registered, and names what is wrong otherwise",
		async () => {
			const keycloak = await useKeycloak();
			const settings = keycloakSettings(keycloak, "service");
			expectRegistered(await ask("keycloak", settings));
			expectRegistered(await ask("keycloak", keycloakSettings(keycloak, "service-public")));
			const secret = await ask("keycloak", {
				...settings,
				SERVICE_OAUTH2_KEYCLOAK_CLIENT_SECRET: "wrong-secret-value",
			});
			expect(secret.failed).toMatchObject([{ name: "tokens" }]);
			expect(secret.failed[0]?.settings).toContain("SERVICE_OAUTH2_KEYCLOAK_CLIENT_SECRET");
			const address = await ask("keycloak", keycloakSettings(keycloak, "service-elsewhere"));
			expect(address.failed).toMatchObject([{ name: "callback" }]);
			expect(address.failed[0]?.settings).toContain("SERVICE_ROOT_URL");
			const unknown = await ask("keycloak", { ...settings, SERVICE_OAUTH2_KEYCLOAK_CLIENT_ID: "nobody" });
			expect(unknown.failed[0]?.settings).toContain("SERVICE_OAUTH2_KEYCLOAK_CLIENT_ID");
			const pkce = await ask("keycloak", keycloakSettings(keycloak, "service-pkce"));
			expect(pkce.steps.find(({ name, outcome }) => name === "callback" && outcome === "warning")?.settings).toContain(
				"SERVICE_OAUTH2_KEYCLOAK_USE_PKCE",
			);
		},
		KEYCLOAK_START_LIMIT,
	);
});
