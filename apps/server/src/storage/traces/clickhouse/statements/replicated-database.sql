create database if not exists spanward;

create table if not exists facts (name String, value String, version UInt64, is_deleted UInt8)
engine = ReplicatedReplacingMergeTree(version, is_deleted)
order by (name)
settings index_granularity = 1024, replicated_deduplication_window = 10000, allow_experimental_replacing_merge_with_cleanup = 1, auto_statistics_types = '', fsync_after_insert = 1, fsync_part_directory = 1, storage_policy = 'tiered';

create table if not exists spans (project_id Int64 CODEC(ZSTD(1)), start_micros Int64 CODEC(Delta, ZSTD(1)), start_nanos UInt16, trace_id FixedString(16), span_id FixedString(8), id Int64 CODEC(Delta, ZSTD(1)), trace_row_id Int64 CODEC(Delta, ZSTD(1)), batch Int64 CODEC(Delta, ZSTD(1)), parent_span_id Nullable(FixedString(8)), end_micros Int64 CODEC(Delta, ZSTD(1)), end_nanos UInt16, kind UInt8, otel_kind UInt8, status_code UInt8, flags UInt8, texts UInt8, has_logs UInt8, content_bytes UInt32 CODEC(ZSTD(1)), name LowCardinality(String), model LowCardinality(Nullable(String)), provider LowCardinality(Nullable(String)), tokens_prompt Nullable(Float64) CODEC(ZSTD(1)), tokens_completion Nullable(Float64) CODEC(ZSTD(1)), tokens_total Nullable(Float64) CODEC(ZSTD(1)), tokens_cache_read Nullable(Float64), tokens_cache_write Nullable(Float64), tokens_reasoning Nullable(Float64), cost_source UInt8, cost_total Nullable(Float64) CODEC(ZSTD(1)), cost_prompt Nullable(Float64) CODEC(ZSTD(1)), cost_completion Nullable(Float64) CODEC(ZSTD(1)), cost_cache_read Nullable(Float64), cost_cache_write Nullable(Float64), cost_reasoning Nullable(Float64), session_id Nullable(String), user_id Nullable(String), status_message Nullable(String), version UInt64 CODEC(Delta, ZSTD(1)), is_deleted UInt8, reading UInt8 DEFAULT 1, release LowCardinality(Nullable(String)), environment LowCardinality(Nullable(String)), api_key_id Nullable(Int64), index row_numbers id type minmax granularity 1, index batches batch type minmax granularity 1, index span_ids span_id type bloom_filter(0.01) granularity 1, index trace_ids trace_id type bloom_filter(0.01) granularity 1, index readings reading type minmax granularity 1)
engine = ReplicatedReplacingMergeTree(version, is_deleted)
partition by toUInt16(intDiv(start_micros, 86400000000) % 3650)
order by (project_id, start_micros, start_nanos, trace_id, span_id)
ttl toDateTime(greatest(0, least(3900000000, intDiv(start_micros, 1000000))) + 604800) to volume 'cold'
settings index_granularity = 8192, replicated_deduplication_window = 10000, allow_experimental_replacing_merge_with_cleanup = 1, auto_statistics_types = '', fsync_after_insert = 1, fsync_part_directory = 1, storage_policy = 'tiered', materialize_ttl_recalculate_only = 1;

create table if not exists span_contents (project_id Int64 CODEC(ZSTD(1)), start_micros Int64 CODEC(Delta, ZSTD(1)), id Int64 CODEC(Delta, ZSTD(1)), batch Int64 CODEC(Delta, ZSTD(1)), span String CODEC(ZSTD(3)), scope LowCardinality(String), scope_schema_url LowCardinality(String), resource LowCardinality(String), resource_schema_url LowCardinality(String), version UInt64 CODEC(Delta, ZSTD(1)), is_deleted UInt8, index row_numbers id type minmax granularity 1, index batches batch type minmax granularity 1, index versions version type minmax granularity 1)
engine = ReplicatedReplacingMergeTree(version, is_deleted)
partition by toUInt16(intDiv(start_micros, 86400000000) % 3650)
order by (project_id, start_micros, id)
ttl toDateTime(greatest(0, least(3900000000, intDiv(start_micros, 1000000))) + 604800) to volume 'cold'
settings index_granularity = 128, replicated_deduplication_window = 10000, allow_experimental_replacing_merge_with_cleanup = 1, auto_statistics_types = '', fsync_after_insert = 1, fsync_part_directory = 1, storage_policy = 'tiered', materialize_ttl_recalculate_only = 1;

create table if not exists log_records (trace_id FixedString(16), span_id FixedString(8), time_micros Int64, time_nanos UInt16, hash FixedString(16), received_at Int64, data String CODEC(ZSTD(3)), project_id Int64, version UInt64, is_deleted UInt8)
engine = ReplicatedReplacingMergeTree(version, is_deleted)
order by (trace_id, span_id, hash)
settings index_granularity = 256, replicated_deduplication_window = 10000, allow_experimental_replacing_merge_with_cleanup = 1, auto_statistics_types = '', fsync_after_insert = 1, fsync_part_directory = 1, storage_policy = 'tiered';

create table if not exists trace_places (trace_id FixedString(16), project_id Int64, id Int64, anchor_micros Int64, version UInt64, is_deleted UInt8, index row_numbers id type minmax granularity 1)
engine = ReplicatedReplacingMergeTree(version, is_deleted)
order by (trace_id, project_id)
settings index_granularity = 256, replicated_deduplication_window = 10000, allow_experimental_replacing_merge_with_cleanup = 1, auto_statistics_types = '', fsync_after_insert = 1, fsync_part_directory = 1, storage_policy = 'tiered';

create table if not exists traces (project_id Int64 CODEC(ZSTD(1)), anchor_micros Int64 CODEC(Delta, ZSTD(1)), trace_id FixedString(16), id Int64 CODEC(Delta, ZSTD(1)), session_row_id Nullable(Int64), session_id Nullable(String), session_span Nullable(Int64), start_micros Int64 CODEC(Delta, ZSTD(1)), start_nanos UInt16, last_start_micros Int64, end_micros Int64 CODEC(Delta, ZSTD(1)), end_nanos UInt16, span_count Int64, running_count Int64, error_count Int64, tokens_prompt Float64, tokens_completion Float64, tokens_total Float64, cost_micro Float64, cost_pico Float64, costed_spans Int64, root_span Int64, root_span_id FixedString(8), root_name LowCardinality(String), root_kind UInt8, root_status UInt8, root_model LowCardinality(Nullable(String)), user_span Nullable(Int64), user_id Nullable(String), input_span Nullable(Int64), output_span Nullable(Int64), first_input Nullable(String) CODEC(ZSTD(3)), last_output Nullable(String) CODEC(ZSTD(3)), batch Int64 CODEC(Delta, ZSTD(1)), version UInt64 CODEC(Delta, ZSTD(1)), is_deleted UInt8, reading UInt8 DEFAULT 1, release_span Nullable(Int64), release LowCardinality(Nullable(String)), environment_span Nullable(Int64), environment LowCardinality(Nullable(String)), index row_numbers id type minmax granularity 1, index starts start_micros type minmax granularity 1, index batches batch type minmax granularity 1, index sessions session_row_id type bloom_filter(0.01) granularity 1, index session_numbers session_row_id type minmax granularity 1, index readings reading type minmax granularity 1)
engine = ReplicatedReplacingMergeTree(version, is_deleted)
partition by toUInt16(intDiv(anchor_micros, 86400000000) % 3650)
order by (project_id, anchor_micros, trace_id)
ttl toDateTime(greatest(0, least(3900000000, intDiv(anchor_micros, 1000000))) + 604800) to volume 'cold'
settings index_granularity = 1024, replicated_deduplication_window = 10000, allow_experimental_replacing_merge_with_cleanup = 1, auto_statistics_types = '', fsync_after_insert = 1, fsync_part_directory = 1, storage_policy = 'tiered', materialize_ttl_recalculate_only = 1;

create table if not exists sessions (project_id Int64, session_id String, id Int64, batch Int64, start_micros Int64, start_nanos UInt16, end_micros Int64, end_nanos UInt16, version UInt64, is_deleted UInt8, index row_numbers id type minmax granularity 1, index batches batch type minmax granularity 1)
engine = ReplicatedReplacingMergeTree(version, is_deleted)
order by (project_id, session_id)
settings index_granularity = 256, replicated_deduplication_window = 10000, allow_experimental_replacing_merge_with_cleanup = 1, auto_statistics_types = '', fsync_after_insert = 1, fsync_part_directory = 1, storage_policy = 'tiered';

create table if not exists hours (project_id Int64, hour Int64, kind UInt8, model LowCardinality(String), number Int64, trace_count Int64, span_count Int64, running_count Int64, error_count Int64, tokens_prompt Float64, tokens_completion Float64, tokens_total Float64, cost_micro Float64, cost_pico Float64, latency_buckets Array(UInt16), latency_counts Array(Int64), version UInt64, is_deleted UInt8)
engine = ReplicatedReplacingMergeTree(version, is_deleted)
order by (project_id, hour, kind, model, number)
settings index_granularity = 1024, replicated_deduplication_window = 10000, allow_experimental_replacing_merge_with_cleanup = 1, auto_statistics_types = '', fsync_after_insert = 1, fsync_part_directory = 1, storage_policy = 'tiered';

create table if not exists projects (id Int64, name String, version UInt64, is_deleted UInt8)
engine = ReplicatedReplacingMergeTree(version, is_deleted)
order by (id)
settings index_granularity = 1024, replicated_deduplication_window = 10000, allow_experimental_replacing_merge_with_cleanup = 1, auto_statistics_types = '', fsync_after_insert = 1, fsync_part_directory = 1, storage_policy = 'tiered';

create table if not exists text_signatures (project_id Int64 CODEC(ZSTD(1)), from_micros Int64 CODEC(Delta, ZSTD(1)), to_micros Int64 CODEC(Delta, ZSTD(1)), first_id Int64 CODEC(Delta, ZSTD(1)), last_id Int64 CODEC(Delta, ZSTD(1)), until Int64, number UInt32, signature String CODEC(ZSTD(1)), version UInt64, is_deleted UInt8)
engine = ReplicatedReplacingMergeTree(version, is_deleted)
partition by toUInt16(intDiv(from_micros, 86400000000) % 3650)
order by (project_id, from_micros, until, number)
ttl toDateTime(greatest(0, least(3900000000, intDiv(from_micros, 1000000))) + 604800) to volume 'cold'
settings index_granularity = 64, replicated_deduplication_window = 10000, allow_experimental_replacing_merge_with_cleanup = 1, auto_statistics_types = '', fsync_after_insert = 1, fsync_part_directory = 1, storage_policy = 'tiered', materialize_ttl_recalculate_only = 1;

alter table traces add column if not exists batch Int64 CODEC(Delta, ZSTD(1));

alter table traces add index if not exists batches batch type minmax granularity 1;

alter table span_contents add index if not exists versions version type minmax granularity 1;

alter table spans add column if not exists reading UInt8 DEFAULT 1;

alter table spans add index if not exists readings reading type minmax granularity 1;

alter table traces add column if not exists reading UInt8 DEFAULT 1;

alter table traces add index if not exists readings reading type minmax granularity 1;

alter table log_records add column if not exists project_id Int64;

insert into log_records (trace_id, span_id, time_micros, time_nanos, received_at, data, version, is_deleted, hash, project_id)
			select trace_id, span_id, time_micros, time_nanos, received_at, data, version, is_deleted, toFixedString(substring(SHA256(concat(hash, toString(owner))), 1, 16), 16), owner
			from (select trace_id, span_id, time_micros, time_nanos, received_at, data, version, is_deleted, hash from log_records final where project_id = 0) as logs
			inner join (
				select trace_id, project_id as owner from trace_places final
				where trace_id in (select trace_id from log_records where project_id = 0)
			) as places using (trace_id);

alter table spans add column if not exists release LowCardinality(Nullable(String));

alter table spans add column if not exists environment LowCardinality(Nullable(String));

alter table traces add column if not exists release_span Nullable(Int64);

alter table traces add column if not exists release LowCardinality(Nullable(String));

alter table traces add column if not exists environment_span Nullable(Int64);

alter table traces add column if not exists environment LowCardinality(Nullable(String));

alter table spans add column if not exists api_key_id Nullable(Int64);

alter table spans reset setting fsync_after_insert, fsync_part_directory;

alter table spans modify setting materialize_ttl_recalculate_only = 1;

alter table spans modify ttl toDateTime(greatest(0, least(3900000000, intDiv(start_micros, 1000000))) + 604800) to volume 'cold';

alter table spans remove ttl;

alter table spans drop partition id '20783';

optimize table spans partition id '20783' final cleanup;

optimize table spans partition id '20783' final;

alter table spans delete in partition id '20783' where is_deleted = 1 and version < 7;
