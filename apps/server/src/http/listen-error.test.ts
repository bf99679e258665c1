import { createServer } from "node:net";
import { expect, test } from "vitest";
import { listenError } from "./listen-error.ts";

async function refusalOf(host: string, port: number): Promise<unknown> {
	const server = createServer();
	try {
		return await new Promise((resolve) => server.on("error", resolve).listen(port, host));
	} finally {
		server.close();
	}
}

test("names SERVICE_HOST for an address that this machine does not have, whatever the port", async () => {
	for (const host of ["192.0.2.1", "no.such.host.invalid"]) {
		const error = listenError(await refusalOf(host, 0), host, 4317, "SERVICE_GRPC_PORT");
		expect(error).toMatchObject({
			message: `this machine does not have the address ${host}; set SERVICE_HOST to one of its addresses`,
		});
	}
});

test("names the port's own setting for a port that is taken", async () => {
	const holder = createServer();
	await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
	try {
		const address = holder.address();
		const port = typeof address === "object" ? (address?.port ?? 0) : 0;
		const error = listenError(await refusalOf("127.0.0.1", port), "127.0.0.1", port, "SERVICE_GRPC_PORT");
		expect(error).toMatchObject({ message: expect.stringMatching(/is in use; set SERVICE_GRPC_PORT to a free one$/) });
	} finally {
		holder.close();
	}
});
