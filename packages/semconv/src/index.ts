export type * from "./agents/agent-event.ts";
export { isAgentEvent, readAgentEvent } from "./agents/read-agent-event.ts";
export { FACT_KEYS, READING, readFacts } from "./facts.ts";
export { type JsonExcess, type JsonLimits, jsonExcess, measureJson } from "./json-size.ts";
export type * from "./model.ts";
export { SPAN_KINDS } from "./model.ts";
export { toOpenInference } from "./open-inference-keys.ts";
export { readSemantic, readTexts } from "./semantic.ts";
