CREATE TABLE requests (seq bigint PRIMARY KEY, "id" text COLLATE "C" NOT NULL, "trace" text COLLATE "C" NOT NULL, "span" text COLLATE "C", "status" bigint NOT NULL, "end" text COLLATE "C" NOT NULL, "error" text COLLATE "C", "config" text COLLATE "C", "provider" text COLLATE "C", "model" text COLLATE "C", "key" text COLLATE "C", "virtual_key" text COLLATE "C", "endpoint" text COLLATE "C" NOT NULL, "stream" boolean NOT NULL, "finish" text COLLATE "C", "cache" text COLLATE "C" NOT NULL, "fallback" boolean NOT NULL, "attempts" bigint NOT NULL, "latency" double precision NOT NULL, "ttft" double precision, "overhead" double precision NOT NULL, "tokens_in" bigint NOT NULL, "tokens_out" bigint NOT NULL, "tokens_cached" bigint NOT NULL, "cost" bigint, "guardrail" text COLLATE "C", "prompt" text COLLATE "C", "revision" text COLLATE "C" NOT NULL, "upstream_id" text COLLATE "C", "agent" text COLLATE "C", words text COLLATE "C" NOT NULL) PARTITION BY RANGE (seq);
CREATE INDEX requests_id ON requests (id);
CREATE INDEX requests_trace ON requests (trace);
CREATE INDEX requests_failed ON requests (seq) WHERE status >= 400;
CREATE INDEX requests_model ON requests (model, seq);
CREATE INDEX requests_key ON requests (key, seq);
CREATE INDEX requests_config ON requests (config, seq);
CREATE INDEX requests_words ON requests USING gin ((array_to_tsvector(array_remove(string_to_array(words, ' '), ''))));
CREATE TABLE records (seq bigint PRIMARY KEY, json text NOT NULL) PARTITION BY RANGE (seq);
CREATE TABLE bodies (seq bigint PRIMARY KEY, request bytea, upstream bytea, response bytea) PARTITION BY RANGE (seq);
CREATE TABLE tags (
  kind text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL, seq bigint NOT NULL,
  PRIMARY KEY (kind, name, value, seq)
) PARTITION BY RANGE (seq);
CREATE TABLE buckets (
  dim text COLLATE "C" NOT NULL, minute bigint NOT NULL, name text COLLATE "C" NOT NULL, writer text COLLATE "C" NOT NULL,
  requests bigint NOT NULL, errors bigint NOT NULL, fallbacks bigint NOT NULL, retries bigint NOT NULL, cache_hits bigint NOT NULL, tokens_in bigint NOT NULL, tokens_out bigint NOT NULL, tokens_cached bigint NOT NULL, cost bigint NOT NULL, unpriced bigint NOT NULL, latency text NOT NULL, ttft text NOT NULL, overhead text NOT NULL,
  PRIMARY KEY (dim, minute, name, writer)
);
CREATE TABLE feedback (
  id text PRIMARY KEY, trace text COLLATE "C" NOT NULL, value double precision NOT NULL, weight double precision NOT NULL,
  metadata text NOT NULL, at bigint NOT NULL
);
CREATE INDEX feedback_trace ON feedback (trace);
CREATE TABLE positions (writer text NOT NULL, segment text NOT NULL, "offset" bigint NOT NULL, PRIMARY KEY (writer, segment));
CREATE TABLE marks (name text PRIMARY KEY, value bigint NOT NULL);
CREATE TABLE log_version (version integer NOT NULL);
INSERT INTO log_version (version) VALUES (1);
CREATE TABLE requests_d20261120 PARTITION OF requests FOR VALUES FROM (1795132800000000) TO (1795219200000000);
CREATE TABLE records_d20261120 PARTITION OF records FOR VALUES FROM (1795132800000000) TO (1795219200000000);
CREATE TABLE bodies_d20261120 PARTITION OF bodies FOR VALUES FROM (1795132800000000) TO (1795219200000000);
CREATE TABLE tags_d20261120 PARTITION OF tags FOR VALUES FROM (1795132800000000) TO (1795219200000000);
INSERT INTO requests (seq, id, trace, status, "end", endpoint, stream, cache, fallback, attempts, latency, overhead, tokens_in, tokens_out, tokens_cached, revision, words) VALUES
  (1795132800000000, 'req_a', 't', 200, 'whole', 'chat/completions', false, 'DISABLED', false, 1, 1, 1, 0, 0, 0, 'r', ''),
  (1795132801000000, 'req_aa', 't', 200, 'whole', 'chat/completions', false, 'DISABLED', false, 2, 1, 1, 0, 0, 0, 'r', ''),
  (1795132802000000, 'req_aaa', 't', 200, 'whole', 'chat/completions', false, 'DISABLED', false, 3, 1, 1, 0, 0, 0, 'r', ''),
  (1795132803000000, 'req_ab', 't', 200, 'whole', 'chat/completions', false, 'DISABLED', true, 2, 1, 1, 0, 0, 0, 'r', ''),
  (1795132804000000, 'req_aab', 't', 200, 'whole', 'chat/completions', false, 'DISABLED', true, 3, 1, 1, 0, 0, 0, 'r', '');
INSERT INTO buckets (dim, minute, name, writer, requests, errors, fallbacks, retries, cache_hits, tokens_in, tokens_out, tokens_cached, cost, unpriced, latency, ttft, overhead) VALUES
  ('all', 29918880, '', 'a', 5, 0, 2, 6, 0, 0, 0, 0, 0, 0, '', '', '');
