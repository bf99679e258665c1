import { createClient } from "@spanward/client";
import { sessionFetch } from "../auth/session-fetch.ts";
import { config } from "./config.ts";

/** The REST API of the server that served this page, as whoever is logged in. */
export const api = createClient({ baseUrl: config.basePath, fetch: sessionFetch });
