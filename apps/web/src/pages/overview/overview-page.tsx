import type { ReactNode } from "react";
import { texts } from "../../texts/en.ts";

export function OverviewPage(): ReactNode {
	return <h1>{texts.overview.title}</h1>;
}
