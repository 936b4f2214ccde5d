import type { Contract } from '@/features/developer/contract'

/** A small contract with all that the real one has: parameters, references, a schema that holds itself. */
export const contract: Contract = {
  info: { version: '1' },
  paths: {
    '/api/v2/site': {
      get: {
        operationId: 'site_get',
        summary: 'What everybody may know',
        tags: ['public'],
        responses: {
          '200': { content: { 'application/json': { schema: { type: 'object' } } } },
        },
      },
    },
    '/api/v2/staff/users': {
      get: { operationId: 'staff_users', summary: 'All users', tags: ['staff'], security: [{}] },
    },
    '/api/v2/user/orders/{order_id}': {
      post: {
        operationId: 'order_buy',
        summary: 'Buy a plan',
        'x-summary-zh-CN': '购买套餐',
        tags: ['user'],
        security: [{ bearer: [] }],
        'x-api-token-scope': 'write',
        parameters: [{ name: 'order_id', in: 'path', required: true, schema: { type: 'integer' } }],
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Body' } } },
        },
        responses: {
          '200': {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Envelope' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Body: {
        type: 'object',
        required: ['plan'],
        properties: {
          plan: { type: 'integer', examples: [7], description: 'Which plan' },
          tags: { type: 'array', items: { type: 'string' } },
          mode: { type: 'string', enum: ['open', ''] },
        },
      },
      Envelope: {
        type: 'object',
        properties: {
          is_success: { type: 'boolean' },
          result_list: { type: 'array', items: { $ref: '#/components/schemas/Knot' } },
        },
      },
      Knot: {
        type: 'object',
        properties: {
          id: { type: 'string', format: 'uuid' },
          next: { $ref: '#/components/schemas/Knot' },
        },
      },
    },
  },
}
