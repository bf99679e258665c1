import type { ReactNode } from "react";
import { texts } from "../../texts/en.ts";

export function SessionPage(): ReactNode {
	return <h1>{texts.sessions.title}</h1>;
}
