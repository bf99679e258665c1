import { createClient } from "@spanward/client";
import { sessionFetch } from "../auth/session-fetch.ts";
import { config } from "./config.ts";
import { storageTrouble } from "./storage-trouble.ts";

const fetchAndLook: typeof fetch = async (input, init) => {
	const response = await sessionFetch(input, init);
	storageTrouble.noteAnswer(response);
	return response;
};

/** Client of the REST API of the server that served this page, with the session of the logged-in user. */
export const api = createClient({ baseUrl: config.basePath, fetch: fetchAndLook });
