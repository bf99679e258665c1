import type { ReactNode } from "react";
import { texts } from "../../../texts/en.ts";
import { SectionPage } from "../section-page.tsx";

export function StoragePage(): ReactNode {
	return <SectionPage title={texts.settings.storage}>{null}</SectionPage>;
}
