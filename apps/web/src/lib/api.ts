import { createClient } from "@spanward/client";
import { config } from "./config.ts";

/** The REST API of the server that served this page. */
export const api = createClient({ baseUrl: config.basePath });
