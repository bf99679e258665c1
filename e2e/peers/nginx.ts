import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../server.ts";
import { listens, PeerProcess } from "./process.ts";

const CERTIFICATES = join(import.meta.dirname, "../certificates");

export interface NginxOptions {
	/** Port of the server behind it. */
	readonly target: number;
	/** Path below which it serves that server, such as /traces; the whole origin without one. */
	readonly prefix?: string;
	/** Passes the path on without the prefix. */
	readonly strip?: boolean;
	/** Serves https, with the certificate of `e2e/certificates`. */
	readonly tls?: boolean;
	/** A port that the caller has chosen, where the server has to know it first. */
	readonly port?: number;
}

export interface Nginx extends AsyncDisposable {
	/** With the prefix, without a slash at the end. */
	readonly url: string;
}

/** nginx as a reverse proxy, as its manual and ours set it up: `await using nginx = await startNginx({ target });`. */
export async function startNginx(options: NginxOptions): Promise<Nginx> {
	const folder = await mkdtemp(join(tmpdir(), "spanward-nginx-"));
	const removeFolder = () => rm(folder, { recursive: true, force: true });
	try {
		const port = options.port ?? (await freePort());
		await writeFile(join(folder, "nginx.conf"), configuration(folder, port, options));
		const nginx = await PeerProcess.start({
			name: "nginx",
			command: "/usr/sbin/nginx",
			args: ["-p", folder, "-e", "stderr", "-c", join(folder, "nginx.conf")],
			isReady: () => listens(port),
			readyWithinMs: 20_000,
		});
		return {
			url: `${options.tls ? "https" : "http"}://127.0.0.1:${port}${options.prefix ?? ""}`,
			[Symbol.asyncDispose]: async () => {
				await nginx[Symbol.asyncDispose]();
				await removeFolder();
			},
		};
	} catch (error) {
		await removeFolder();
		throw error;
	}
}

function configuration(
	folder: string,
	port: number,
	{ target, prefix = "", strip = false, tls = false }: NginxOptions,
) {
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
	server {
		listen 127.0.0.1:${port}${tls ? " ssl" : ""};
		${tls ? `ssl_certificate ${CERTIFICATES}/server.pem;\n\t\tssl_certificate_key ${CERTIFICATES}/server.key;` : ""}
		location ${prefix}/ {
			proxy_pass http://127.0.0.1:${target}${strip ? "/" : ""};
			proxy_http_version 1.1;
			proxy_buffering off;
			proxy_set_header Host $http_host;
			proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
			proxy_set_header X-Forwarded-Proto $scheme;
		}
	}
}
`;
}
