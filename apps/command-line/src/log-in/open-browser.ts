import { spawn } from "node:child_process";
import type { Environment } from "../io.ts";

/**
 * Shows an address in the browser of whoever is logged in at this machine: `BROWSER`, else what the system opens addresses
 * with.
 * @param address http or https; given as one argument, and to no shell
 * @returns whether a program was started that may do it
 */
export async function openBrowser(address: string, environment: Environment): Promise<boolean> {
	const opener = openerOf(environment);
	if (opener === undefined) return false;
	const [program, ...args] = opener;
	return await new Promise((resolve) => {
		const child = spawn(program, [...args, address], { stdio: "ignore", detached: true });
		child.once("spawn", () => {
			child.unref();
			resolve(true);
		});
		child.once("error", () => resolve(false));
	});
}

function openerOf(environment: Environment): readonly [string, ...string[]] | undefined {
	const own = environment["BROWSER"]?.trim();
	if (own) return [own];
	if (process.platform === "darwin") return ["open"];
	if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
	// Without a display, xdg-open would look for a browser in the terminal.
	return environment["DISPLAY"] || environment["WAYLAND_DISPLAY"] ? ["xdg-open"] : undefined;
}
