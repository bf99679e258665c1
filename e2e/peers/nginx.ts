import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listens, PeerProcess } from "./process.ts";

const CERTIFICATES = join(import.meta.dirname, "../certificates");
const DOCUMENT = join(import.meta.dirname, "../../docs/sign-in/behind-a-proxy.md");
/** The sites of the document, in its order. */
const SITES = ["host", "path-kept", "path-stripped"] as const;

export interface NginxOptions {
	/** Port of the server behind it. */
	readonly target: number;
	/** Which of the sites of `docs/sign-in/behind-a-proxy.md`: a host of its own, or below {@link PROXY_PATH}. */
	readonly site: (typeof SITES)[number];
	/** Serves https as the document does, with the certificate of `e2e/certificates`; else http. */
	readonly tls: boolean;
	/** Where it listens: the server behind it has to know that first. */
	readonly port: number;
}

/** Of the sites "path-kept" and "path-stripped". */
export const PROXY_PATH = "/traces";

/** nginx as a reverse proxy with what the document says: `await using nginx = await startNginx({ target, … });`. */
export async function startNginx(options: NginxOptions): Promise<AsyncDisposable> {
	await using cleanup = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "spanward-nginx-"));
	cleanup.defer(() => rm(folder, { recursive: true, force: true }));
	const file = join(folder, "nginx.conf");
	await writeFile(file, configuration(folder, site(options)));
	const nginx = await PeerProcess.start({
		name: "nginx",
		command: "/usr/sbin/nginx",
		args: ["-p", folder, "-e", "stderr", "-c", file],
		isReady: () => listens(options.port),
		readyWithinMs: 20_000,
	});
	cleanup.use(nginx);
	return cleanup.move();
}

/** The server block of the document, with ports and certificates of the tests. */
function site({ target, site: name, tls, port }: NginxOptions): string {
	const blocks = Array.from(
		readFileSync(DOCUMENT, "utf8").matchAll(/^```nginx\n(.*?)^```$/gms),
		([, block = ""]) => block,
	);
	const block = blocks[SITES.indexOf(name)];
	if (block === undefined) throw new Error(`${DOCUMENT} has no site "${name}"`);
	const replaced = block
		.replace("listen 443 ssl;", `listen 127.0.0.1:${port}${tls ? " ssl" : ""};`)
		.replace(/ssl_certificate +\S+;/, tls ? `ssl_certificate ${CERTIFICATES}/server.pem;` : "")
		.replace(/ssl_certificate_key +\S+;/, tls ? `ssl_certificate_key ${CERTIFICATES}/server.key;` : "");
	return replaced.replace("127.0.0.1:6006", `127.0.0.1:${target}`);
}

function configuration(folder: string, server: string): string {
	const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
	return `
daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
	access_log off;
	${temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n\t")}
${server}
}
`;
}
