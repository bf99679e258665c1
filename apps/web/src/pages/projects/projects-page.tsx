import type { ReactNode } from "react";
import { texts } from "../../texts/en.ts";

export function ProjectsPage(): ReactNode {
	return <h1>{texts.projects.title}</h1>;
}
