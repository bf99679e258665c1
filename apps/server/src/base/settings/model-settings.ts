import { type DeclaredConnection, declaredConnections } from "../model-connections/read-declared.ts";
import { setting } from "./setting.ts";

export const MODELS = {
	SERVICE_MODEL_CONNECTIONS: setting<readonly DeclaredConnection[]>(
		declaredConnections,
		[],
		"Model connections for installations that are configured by files, as POST /v1/model_connections takes them; shown in Settings → Models, and changed here only.",
		{ secret: true, defaultText: "none" },
	),
};
