export { routeTree } from '@/consoleRouteTree.gen'
