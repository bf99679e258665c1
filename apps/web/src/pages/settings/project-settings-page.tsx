import type { ReactNode } from "react";
import { texts } from "../../texts/en.ts";

export function ProjectSettingsPage(): ReactNode {
	return <h1>{texts.projectSettings.title}</h1>;
}
