-- +goose Up
-- What the shop sold, got and gave in each hour that is over, so that the overview adds up hours and not every order of a
-- year. All of it can be computed anew from the rows that it counts, none of which changes later.
CREATE TABLE overview_hour (
    figure {{text}} NOT NULL CHECK (figure IN ('revenue', 'gifts', 'orders', 'received', 'returned')),
    hour   {{int}} NOT NULL, -- Unix time / 3600
    found  {{int}} NOT NULL CHECK (found >= 0),
    amount {{int}} NOT NULL,
    PRIMARY KEY (figure, hour)
) {{clustered}};

-- The hour that is not over, and the ends of a period that are not full hours, are read from the rows.
CREATE INDEX ledger_transaction_created ON ledger_transaction (created_at, id);
CREATE INDEX gateway_refund_ended ON gateway_refund (ended_at);
CREATE INDEX recharge_failed ON recharge (created_at) WHERE state = 'failed';
CREATE INDEX ticket_awaiting ON ticket (awaiting, updated_at);
