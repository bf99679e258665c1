import type { ReactNode } from "react";
import { config } from "../../../lib/config.ts";
import { connectedAppsTexts } from "../../../texts/connected-apps-en.ts";

/** Says so where programs cannot ask for access on this server. */
export function ProgramsOff(): ReactNode {
	if (config.auth.programs) return null;
	return <p className="max-w-prose rounded bg-warn-soft px-3 py-2 text-warn">{connectedAppsTexts.off}</p>;
}
